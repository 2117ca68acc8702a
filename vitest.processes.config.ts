import { defineConfig } from 'vitest/config'

// The tests of `npm run test:processes`: the built program as an operator runs it, and bugs planted in the simulations. They take minutes and need only Node.
export default defineConfig({
  test: {
    include: ['test/processes/**/*.test.ts', 'sim/**/planted-bugs.test.ts'],
    // Node itself loads the bundles of the simulation: vitest's modules take half as much time again.
    server: { deps: { external: [/\/dayfly-sim-/] } },
    pool: 'forks',
    // They mostly wait for processes of their own.
    maxWorkers: 4,
    testTimeout: 60_000,
    hookTimeout: 20_000,
  },
})
