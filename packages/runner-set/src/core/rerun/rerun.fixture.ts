// Broken jobs and their runs, for the tables of their tests.
import type { BrokenJob, BrokenRun, ForgeJob, Note } from '../../model/rerun.ts'
import { now } from '../world.fixture.ts'

export const note: Note = { runner: 'x', repository: 'acme/app', sha: 'abc', title: 't', text: 'm' }

export function brokenJob(runner: string, over: Partial<BrokenJob> = {}): BrokenJob {
  return {
    ...{ runner, name: 'test', repository: 'acme/app', run: '7', cause: 'evicted', detail: 'Evicted' },
    ...{ brokeAt: now - 20_000, endedAt: now, ended: false, doubtful: false, note: undefined },
    ...over,
  }
}

export function brokenRun(run: string, over: Partial<BrokenRun> = {}): BrokenRun {
  return {
    ...{ repository: 'acme/app', run, jobs: [brokenJob(run)], seen: undefined, next: { is: 'look' } },
    ...{ dueAt: now, looks: 0, underway: false },
    ...over,
  }
}

export function failedJob(runner: string, over: Partial<ForgeJob> = {}): ForgeJob {
  return {
    ...{ id: `of-${runner}`, name: 'test', runner, attempt: 1, state: 'failed', failedStep: undefined },
    ...{ openStep: 'script', finishedAt: now, sha: 'abc' },
    ...over,
  }
}
