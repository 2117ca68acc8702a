// The next steps of a DaemonSet, as a table: nodes, pods, and what happens now.
import { expect, test } from 'vitest'
import type { StoredObject } from '../../store/object.ts'
import { asDaemonSet } from './daemon-set-object.ts'
import { type Step, stepsToManage, stepsToUpdate, viewOf } from './steps.ts'

const now = Date.parse('2026-01-01T00:01:00Z')
const metadata = { uid: 'u', resourceVersion: '1' }

/** Reads `a NoSchedule`: the name of the node, and the effect of its taint. */
function nodeOf(words: string): StoredObject {
  const [name = '', effect] = words.split(' ')
  const taints = effect === undefined ? [] : [{ key: 'k', effect }]
  const own = { ...metadata, name, creationTimestamp: '2026-01-01T00:00:00Z' }
  return { apiVersion: 'v1', kind: 'Node', metadata: own, spec: { taints } }
}

/** Reads `a old unready`: the node, the template unless it is the new one, and the state unless it is ready. Each pod is younger than the one before. */
function podOf(words: string, index: number): StoredObject {
  const [node = '', ...states] = words.split(' ')
  const has = (state: string) => states.includes(state)
  const status = has('unready') || has('Failed') ? 'False' : 'True'
  const term = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadata,
      name: `${node}${index}`,
      creationTimestamp: `2026-01-01T00:00:0${index}Z`,
      labels: { 'controller-revision-hash': has('old') ? 'old' : 'new' },
      ...(has('deleting') ? { deletionTimestamp: '2026-01-01T00:00:30Z' } : {}),
    },
    spec: has('pending') ? { affinity } : { nodeName: node },
    status: {
      phase: has('Failed') ? 'Failed' : 'Running',
      conditions: [{ type: 'Ready', status, lastTransitionTime: '2026-01-01T00:00:00Z' }],
    },
  }
}

type Row = readonly [
  nodes: readonly string[],
  pods: readonly string[],
  rollingUpdate: object,
  expected: readonly string[],
]

function show(steps: typeof stepsToManage, [nodes, pods, rollingUpdate]: Row): readonly string[] {
  const spec = { template: { spec: {} }, updateStrategy: { type: 'RollingUpdate', rollingUpdate } }
  const own = { ...metadata, name: 'ds', creationTimestamp: '2026-01-01T00:00:00Z' }
  const set = asDaemonSet({ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: own, spec })
  const signs: Readonly<Record<Step['does'], string>> = { create: '+', delete: '-', replace: '~' }
  const view = viewOf(set, 'new', now, { nodes: nodes.map(nodeOf), pods: pods.map(podOf) })
  return steps(view).map((step) => signs[step.does] + (step.does === 'create' ? step.node : step.pod.metadata.name))
}

const down = { maxUnavailable: 1, maxSurge: 0 }
const up = { maxUnavailable: 0, maxSurge: 1 }

test.each<Row>([
  [['a', 'b'], [], down, ['+a', '+b']],
  [['a', 'b NoSchedule', 'c NoExecute'], [], down, ['+a']],
  [['a', 'b NoSchedule', 'c NoExecute'], ['b', 'c'], down, ['+a', '-c1']],
  [['a'], ['a deleting'], down, []],
  [['a'], ['a deleting'], up, ['+a']],
  [['a NoExecute'], ['a deleting'], down, []],
  [['a'], ['a Failed'], down, ['~a0']],
  [['a'], ['a Failed', 'a'], down, ['~a0']],
  [['a'], ['a Failed'], up, ['~a0', '+a']],
  [['a'], ['a', 'a'], down, ['-a1']],
  [['a'], ['a pending', 'a'], down, ['-a0']],
  [['a'], ['b pending', 'c'], down, ['+a', '-b0']],
  [['a'], ['a old', 'a unready'], up, []],
  [['a'], ['a old', 'a'], up, ['-a0']],
  [['a'], ['a old unready', 'a unready'], up, ['-a0']],
  [['a'], ['a old', 'a old', 'a unready', 'a'], up, ['-a3', '-a1']],
])('nodes %j with pods %j and %j: %j', (...row) => {
  expect(show(stepsToManage, row)).toEqual(row[3])
})

test.each<Row>([
  [['a', 'b', 'c'], ['a old', 'b old', 'c old'], down, ['-a0']],
  [['a', 'b', 'c'], ['a old', 'b old', 'c old'], { maxUnavailable: '50%', maxSurge: 0 }, ['-a0', '-b1']],
  [['a', 'b', 'c'], ['a old', 'b old', 'c old'], { maxUnavailable: 0, maxSurge: '0%' }, ['-a0']],
  [['a', 'b'], ['a unready', 'b old'], down, []],
  [['a', 'b'], ['b old'], down, []],
  [['a', 'b'], ['a old deleting', 'b old'], down, []],
  // A pod that is not available is replaced in any case, and counts against the limit.
  [['a', 'b'], ['a old unready', 'b old'], down, ['-a0']],
  [['a', 'b', 'c'], ['a old unready', 'b old unready', 'c old'], down, ['-a0', '-b1']],
  [['a', 'b'], ['a old', 'b old'], up, ['+a']],
  [['a', 'b'], ['a old', 'a unready', 'b old'], up, []],
  [['a', 'b'], ['b old'], up, ['+b']],
  [['a', 'b'], ['a old unready', 'b old'], up, ['+a', '+b']],
  [['a NoSchedule', 'b'], ['a old unready', 'b'], up, ['-a0']],
  [['a NoSchedule', 'b'], ['a old', 'b'], up, []],
  [['a'], ['a'], up, []],
])('an update on nodes %j with pods %j and %j: %j', (...row) => {
  expect(show(stepsToUpdate, row)).toEqual(row[3])
})
