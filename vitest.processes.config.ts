import { defineConfig } from 'vitest/config'
import { slowSimulations } from './vitest.config.ts'

// The tests of `npm run test:processes`: the built program as an operator runs it, long simulations, and bugs planted in simulations. They take minutes and need only Node.
export default defineConfig({
  test: {
    include: ['test/processes/**/*.test.ts', ...slowSimulations],
    // Node itself loads the bundles of the simulation: vitest's modules take half as much time again.
    server: { deps: { external: [/\/dayfly-sim-/] } },
    pool: 'forks',
    // They mostly wait for processes of their own.
    maxWorkers: 4,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
