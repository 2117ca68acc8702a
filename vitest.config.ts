import { defineConfig } from 'vitest/config'

// The tests of `npm test`, which need only Node and git.
export default defineConfig({
  // Without this, vite warns for each file of the inlined package, because its source maps name missing sources.
  logLevel: 'error',
  test: {
    include: [
      'packages/**/*.test.ts',
      'scripts/**/*.test.ts',
      'test/*.test.ts',
      'bench/**/*.test.ts',
      'sim/**/*.test.ts',
    ],
    // They bundle the simulation a dozen times: `npm run test:processes`.
    exclude: ['sim/planted-bugs.test.ts'],
    pool: 'forks',
    // One process for each processor. The default is one process less.
    maxWorkers: '100%',
    // The package imports JSON without an import attribute, which Node refuses.
    server: { deps: { inline: [/@actions\/workflow-parser/] } },
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
})
