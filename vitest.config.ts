import { defineConfig } from 'vitest/config'

// What `npm test` runs: everything that needs only Node and git.
export default defineConfig({
  // The inlined package names sources it does not ship: a warning for each of its files.
  logLevel: 'error',
  test: {
    include: ['src/**/*.test.ts', 'scripts/**/*.test.ts', 'test/*.test.ts', 'bench/**/*.test.ts'],
    pool: 'forks',
    // One process a processor: unless told, one less, which on two is a single one.
    maxWorkers: '100%',
    // It imports JSON without an import attribute, which Node alone refuses.
    server: { deps: { inline: [/@actions\/workflow-parser/] } },
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
})
