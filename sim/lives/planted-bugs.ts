// Bugs to plant in the core, each at a place where a real slip would happen. They prove that the simulation of lives sees it.
import type { Edit } from '../bundle.ts'
import type { PromiseName } from './promises.ts'

export type PlantedBug = {
  readonly name: string
  readonly edits: readonly Edit[]
  /** The promise that must be found broken. */
  readonly by: PromiseName
}

const core = 'packages/runner-set/src/core'

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'a surplus runner is deleted without asking the forge',
    by: 'busy-runner',
    edits: [
      {
        file: `${core}/scale.ts`,
        before: "endStep(moment, runner, runner.pod.value, { kind: 'surplus' })",
        after:
          "{ action: { kind: 'delete-runner', runner: runner.name, pod: { uid: runner.pod.value.uid }, because: { kind: 'surplus' } } }",
      },
    ],
  },
  {
    name: 'the maximum does not bound the starts',
    by: 'ceiling',
    edits: [
      {
        file: `${core}/starts.ts`,
        before: 'most: Math.max(0, set.scale.max - counts.occupied)',
        after: 'most: Number.POSITIVE_INFINITY',
      },
    ],
  },
  {
    name: 'a runner frees its place when its deletion is asked for',
    by: 'ceiling',
    edits: [
      {
        file: `${core}/phase.ts`,
        before: "return !stuck && !(pod.is === 'present' && pod.value.finished)",
        after: "return !stuck && !(pod.is === 'present' && (pod.value.finished || pod.value.deletionDeadline))",
      },
    ],
  },
  {
    name: 'the starts of one tick share a name',
    by: 'used-once',
    edits: [
      {
        file: `${core}/scale.ts`,
        before: 'runner: prefix + id }',
        after: 'runner: prefix + ids[0] }',
      },
    ],
  },
  {
    name: 'a registration without a runner is not found in the list',
    by: 'leftovers',
    edits: [
      {
        file: `${core}/state/fold-forge.ts`,
        before: 'if (ours && !state.table.get(registration.name))',
        after: 'if (ours && state.pendingRemovals.has(registration.name))',
      },
    ],
  },
  {
    name: 'a departed runner covers a job forever',
    by: 'served',
    edits: [
      {
        file: `${core}/state/departures.ts`,
        before: 'if (departed.jobOpen) return now < departed.at + limits.jobLeaseMs',
        after: 'if (departed.jobOpen) return true',
      },
      { file: `${core}/state/departures.ts`, before: 'if (expired || !counted)', after: 'if (!counted)' },
      {
        file: `${core}/state/fold-forge.ts`,
        before: '  departures.settle(name)\n  if (!needsCordon',
        after: '  if (!needsCordon',
      },
    ],
  },
  {
    name: 'the name of a removed runner is kept after its pod is gone',
    by: 'bounded',
    edits: [{ file: `${core}/state/fold-pods.ts`, before: '  step.state.removed.delete(name)\n', after: '' }],
  },
  {
    name: 'the jobs that the status shows are not bounded',
    by: 'bounded',
    edits: [{ file: `${core}/state/recent-jobs.ts`, before: '.slice(0, most)', after: '' }],
  },
]
