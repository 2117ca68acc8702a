import { defineConfig } from 'vitest/config'

// The tests of `npm run test:kubernetes`, which need kubectl, Go or a real cluster.
export default defineConfig({
  test: {
    include: ['test/kubernetes/**/*.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 600_000,
    passWithNoTests: false,
  },
})
