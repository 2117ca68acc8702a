// The next steps of a StatefulSet, as a table: the set, its pods, and what happens now.
import { expect, test } from 'vitest'
import type { StoredObject } from '../../store/object.ts'
import { asStatefulSet, type StatefulSet } from './stateful-set-object.ts'
import { stepsOf } from './steps.ts'

const now = Date.parse('2026-01-01T00:01:00Z')

type Words = {
  readonly replicas: number
  readonly policy?: string
  readonly partition?: number
  readonly start?: number
}

function setOf({ replicas, policy = 'OrderedReady', partition = 0, start = 0 }: Words, more: object = {}): StatefulSet {
  const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition } }
  const spec = { replicas, podManagementPolicy: policy, updateStrategy, ordinals: { start }, ...more }
  return asStatefulSet({ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { ...metadata, name: 'web' }, spec })
}

const metadata = { uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' }

/** Reads `2 old unready`: the ordinal, the revision unless it is the new one, and the state unless it is ready. */
function podOf(words: string): StoredObject {
  const [ordinal = '', ...states] = words.split(' ')
  const has = (state: string) => states.includes(state)
  const ready = { type: 'Ready', status: has('unready') || has('failed') ? 'False' : 'True' }
  const since = has('fresh') ? '2026-01-01T00:00:55Z' : '2026-01-01T00:00:00Z'
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadata,
      name: `web-${ordinal}`,
      labels: { 'controller-revision-hash': has('old') ? 'old' : 'new' },
      ...(has('deleting') ? { deletionTimestamp: '2026-01-01T00:00:30Z' } : {}),
    },
    status: { phase: has('failed') ? 'Failed' : 'Running', conditions: [{ ...ready, lastTransitionTime: since }] },
  }
}

function show(set: StatefulSet, pods: readonly string[]): readonly string[] {
  return stepsOf(set, pods.map(podOf), 'new', now).map((step) =>
    step.does === 'create' ? `+${step.ordinal} ${step.from}` : `-${step.pod.metadata.name.slice(4)}`,
  )
}

test.each<readonly [Words, readonly string[], readonly string[]]>([
  [{ replicas: 2 }, [], ['+0 update']],
  [{ replicas: 2 }, ['0 unready'], []],
  [{ replicas: 2 }, ['0 deleting'], []],
  [{ replicas: 2 }, ['0'], ['+1 update']],
  [{ replicas: 2 }, ['1'], ['+0 update']],
  [{ replicas: 2 }, ['0 failed'], ['-0']],
  [{ replicas: 2 }, ['0 failed deleting'], []],
  [{ replicas: 2, start: 5 }, ['0'], ['+5 update']],
  [{ replicas: 2, start: 5 }, ['5', '6', '0'], ['-0']],
  [{ replicas: 2, partition: 1 }, [], ['+0 current']],
  [{ replicas: 2, partition: 1 }, ['0 old'], ['+1 update']],
  [{ replicas: 2, partition: 1, start: 5 }, [], ['+5 current']],
  [{ replicas: 2, policy: 'Parallel' }, [], ['+0 update', '+1 update']],
  [{ replicas: 2, policy: 'Parallel' }, ['0 unready', '5', '4 deleting'], ['+1 update', '-5']],
  [{ replicas: 1 }, ['0', '1', '2'], ['-2']],
  [{ replicas: 1 }, ['0', '1', '2 deleting'], []],
  [{ replicas: 1 }, ['0 unready', '1', '2'], []],
  // The first surplus pod that is not available may go. One above it waits for it.
  [{ replicas: 1 }, ['0', '1', '2 unready'], ['-2']],
  [{ replicas: 1 }, ['0', '1 unready', '2 unready'], []],
  [{ replicas: 1 }, ['0', '1 unready', '2'], ['-2']],
  [{ replicas: 3 }, ['0 old', '1 old', '2 old'], ['-2']],
  [{ replicas: 3 }, ['0 old', '1 old', '2'], ['-1']],
  [{ replicas: 3, partition: 2 }, ['0 old', '1 old', '2'], []],
  [{ replicas: 3, policy: 'Parallel' }, ['0 old', '1 old', '2 unready'], []],
  [{ replicas: 3, policy: 'Parallel' }, ['0 old', '1 old', '2 deleting old'], []],
  // An update may repair a pod that is not ready.
  [{ replicas: 3, policy: 'Parallel' }, ['0 old', '1 old', '2 unready old'], ['-2']],
])('%j with %j: %j', (words, pods, expected) => {
  expect(show(setOf(words), pods)).toEqual(expected)
})

test('with OnDelete, no pod is replaced, and a missing one is made from the new template', () => {
  const updateStrategy = { type: 'OnDelete' }
  expect(show(setOf({ replicas: 3 }, { updateStrategy }), ['0 old', '1 old', '2 old'])).toEqual([])
  expect(show(setOf({ replicas: 3 }, { updateStrategy }), ['0 old', '2 old'])).toEqual(['+1 update'])
})

test('a pod counts only when it has been ready for minReadySeconds', () => {
  expect(show(setOf({ replicas: 2 }, { minReadySeconds: 10 }), ['0 fresh'])).toEqual([])
  expect(show(setOf({ replicas: 2 }, { minReadySeconds: 5 }), ['0 fresh'])).toEqual(['+1 update'])
})

test('takes at most 500 steps at once', () => {
  expect(show(setOf({ replicas: 2_000_000_000, policy: 'Parallel' }), [])).toHaveLength(500)
})
