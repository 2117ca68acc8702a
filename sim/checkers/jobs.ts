// Every job ends. It runs twice or fails only if something outside Dayfly ended its runner.
import type { Checker } from './checker.ts'

export const jobs: Checker = {
  name: 'jobs',
  atRest: ({ openJobs }) => (openJobs.size === 0 ? [] : [`${openJobs.size} jobs have not ended`]),
}
