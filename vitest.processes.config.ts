import { defineConfig } from 'vitest/config'
import { fullOnly, settings, slow, withChildren } from './vitest.config.ts'

// The tests of `npm run test:processes`: programs as people run them, long simulations, and bugs planted in simulations. They take minutes and need only Node.
export default defineConfig({
  logLevel: 'error',
  test: {
    ...settings,
    include: ['test/processes/**/*.test.ts', ...slow, ...withChildren],
    exclude: [...fullOnly],
  },
})
