// Samples of what the server shows.
import { noSteps } from '../history/steps.ts'
import type { Life } from '../model/life.ts'
import type { SetNow } from '../model/set-now.ts'

export const start = 1_800_000_000_000

export function sampleSet(id: string, more: Partial<SetNow> = {}): SetNow {
  const [namespace = '', name = ''] = id.split('/')
  return {
    ...{ id, namespace, name, forge: 'github', url: 'https://github.com/acme', labels: [name] },
    ...{
      paused: false,
      deleting: false,
      min: 0,
      max: 10,
      demand: 0,
      wanted: 0,
      hasQueue: true,
      isValid: true,
      waiting: 0,
    },
    counts: { starting: 0, idle: 0, busy: 0, ending: 0 },
    ...{ failuresInARow: 0, waitingSince: null, oldestQueuedAt: null, why: null, nextStartAt: null },
    ...{
      problems: [],
      conditions: [],
      forgeNumbers: null,
      difference: null,
      unserved: null,
      objectiveMs: null,
      oldSince: null,
    },
    ...more,
  }
}

export function sampleLife(id: string, set: string, more: Partial<Life> = {}): Life {
  return {
    ...{ id, set, runner: id.split('/')[1] ?? '', phase: 'idle', steps: noSteps, job: null, result: null },
    ...{ node: null, exitCode: null, problem: null, requests: null },
    ...more,
  }
}
