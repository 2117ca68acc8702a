import { defineConfig } from 'vitest/config'

// The tests of `npm run test:gitea`, on a real Gitea server. Each file starts one of its own.
export default defineConfig({
  test: {
    include: ['test/gitea/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 180_000,
  },
})
