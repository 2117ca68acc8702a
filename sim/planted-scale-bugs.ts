// Planted bugs of what a set may have, announces and keeps idle: pools, capacity, schedules, ages.
import type { PlantedBug } from './planted-bugs.ts'

export const plantedScaleBugs: readonly PlantedBug[] = [
  {
    name: 'the ceiling of a pool does not bound the starts',
    by: 'pool',
    seed: 4,
    edits: [
      {
        file: 'packages/runner-set/src/core/starts.ts',
        before: 'most: Math.max(0, share.now - occupied), why',
        after: 'most: Number.POSITIVE_INFINITY, why',
      },
    ],
  },
  {
    name: 'a set takes the places that another one keeps by its floor',
    by: 'pool',
    seed: 96,
    edits: [
      {
        file: 'packages/runner-set/src/core/pool.ts',
        before: 'Math.max(occupied, floor)',
        after: 'Math.max(occupied, 0 * floor)',
      },
    ],
  },
  {
    name: 'the extra runner of a replacement is announced above the maximum',
    by: 'capacity',
    seed: 1,
    edits: [
      {
        file: 'packages/runner-set/src/core/capacity.ts',
        before: 'tightest ? Math.max(1, tightest.most) : max\n',
        after: 'tightest ? Math.max(1, tightest.most) : max + Math.min(1, world.outdated.count)\n',
      },
    ],
  },
  {
    name: 'a set without room announces nothing',
    by: 'capacity',
    seed: 55,
    edits: [
      {
        file: 'packages/runner-set/src/core/capacity.ts',
        before: 'tightest ? Math.max(1, tightest.most) : max\n',
        after: 'tightest ? tightest.most : max\n',
      },
      { file: 'packages/forges/src/github/link.ts', before: 'set.max >= 1', after: 'set.max >= 0' },
    ],
  },
  {
    name: 'the windows of a schedule follow UTC',
    by: 'rest',
    seed: 86,
    edits: [
      {
        file: 'packages/runner-set/src/core/schedule.ts',
        before: 'new TimeZone(window.timeZone)',
        after: "new TimeZone('UTC')",
      },
    ],
  },
  {
    name: 'the usual demand of the hour does not matter',
    by: 'rest',
    seed: 57,
    edits: [
      { file: 'packages/runner-set/src/core/desired.ts', before: 'Math.max(usual, ', after: 'Math.max(0 * usual, ' },
    ],
  },
  {
    name: 'an idle runner is never too old',
    by: 'age',
    seed: 1,
    edits: [
      {
        file: 'packages/runner-set/src/core/renewal.ts',
        before: 'return now < at ? { due: at } : { mark }',
        after: 'return now < at ? { due: at } : {}',
      },
    ],
  },
  {
    name: 'a busy runner is ended at the age of an idle one',
    by: 'busy-runner',
    seed: 39,
    edits: [
      {
        file: 'packages/runner-set/src/core/life.ts',
        before: 'const bound = moment.world.set.lifeMaxMs',
        after: 'const bound = moment.world.set.idleMaxMs',
      },
    ],
  },
  {
    name: 'the replacement of an idle runner deletes its pod without asking the forge',
    by: 'busy-runner',
    seed: 14,
    edits: [
      {
        file: 'packages/runner-set/src/core/renewal.ts',
        before: "endStep({ world, ...rest }, next, next.pod.value, { kind: 'outdated' })",
        after:
          "{ action: { kind: 'delete-runner', runner: next.name, pod: { uid: next.pod.value.uid }, because: { kind: 'outdated' } } as any }",
      },
    ],
  },
  {
    name: 'a set that follows the share of busy runners starts no replacement',
    by: 'age',
    seed: 115,
    edits: [
      {
        file: 'packages/runner-set/src/core/scale.ts',
        before: 'outdated.count > 0 ? Math.max(min, busy + 1) + 1 : min',
        after: 'min',
      },
    ],
  },
  {
    name: 'a refused template is checked again after half an hour, with jobs waiting',
    by: 'waiting-jobs',
    seed: 140,
    edits: [
      {
        file: 'packages/runner-set/src/model/limits.ts',
        before: 'templateAgainMs: minute',
        after: 'templateAgainMs: 30 * minute',
      },
    ],
  },
]
