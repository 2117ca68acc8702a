import { defineConfig } from 'vitest/config'

// The tests of `npm run test:browser`: the web page in Chromium. They share one Chromium.
export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts'],
    globalSetup: ['test/browser/one-chromium.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
})
