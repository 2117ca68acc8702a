// Every state of ARC's controller: the proofs that it is gone, and states that only look like it.
import { expect, test } from 'vitest'
import type { LiveFacts, ObjectFact } from '../facts.ts'
import { undeclaredVersion } from '../version-fact.ts'
import { indexCluster } from './cluster.ts'
import { type ControllerState, scaleSetController } from './controller.ts'

const now = Date.parse('2026-11-21T12:00:00Z')
const image = 'mirror.example/arc/gha-runner-scale-set-controller:0.14.2'
const namespace = 'arc-systems'

const states: readonly (readonly [string, ControllerState['is'], string, readonly ObjectFact[]])[] = [
  ['no object of the controller', 'gone', 'it has no Deployment and no living pod', []],
  ['its pod', 'alive', 'its pod arc-systems/arc-1 exists', [pod('arc-1', { image })]],
  ['its finished pod', 'gone', 'no Deployment', [pod('arc-1', { image }, { phase: 'Failed' })]],
  [
    'a pod with nothing but its flag',
    'alive',
    'exists',
    [pod('x', { image: 'x', args: ['--auto-scaling-runner-set-only'] })],
  ],
  [
    'a listener, which has its image',
    'gone',
    'no living pod',
    [pod('linux-listener', { image, command: ['/ghalistener'] })],
  ],
  ['a Deployment', 'alive', 'asks for a pod', [deployment(1)]],
  [
    'a Deployment whose lease is old',
    'alive',
    'though its lease arc-systems/arc-gha-rs-controller',
    [deployment(2), lease(3_600)],
  ],
  ['a Deployment of no replicas', 'scaled-to-zero', 'asks for no pod', [deployment(0)]],
  ['a young lease alone', 'alive', 'arc-1 renewed its lease', [lease(10)]],
  ['a young lease of another program', 'gone', 'no living pod', [lease(10), pod('arc-1', { image: 'other' })]],
  [
    'an old lease alone',
    'gone',
    'and its lease arc-systems/arc-gha-rs-controller was last renewed at 2026-11-21T11:00',
    [lease(3_600)],
  ],
  ['a pod on a node that is gone', 'alive', 'exists', [pod('arc-1', { image }, { node: 'gone' })]],
  [
    'a pod on a node that is gone, and an old lease',
    'gone',
    'the node of its pod arc-systems/arc-1 is gone',
    [pod('arc-1', { image }, { node: 'gone' }), lease(3_600)],
  ],
  [
    'a pod on a node that is gone, and a young lease',
    'alive',
    'exists',
    [pod('arc-1', { image }, { node: 'gone' }), lease(10)],
  ],
]

test.each(states)('%s: %s', (_, is, because, objects) => {
  const state = look(objects)
  expect(state).toMatchObject({ is, because: expect.stringContaining(because) })
})

test.each(['Deployment', 'Pod', 'Lease'])(
  'does not count a controller as gone if a kind could not be read: %s',
  (kind) => {
    expect(look([], { unreadable: { [kind]: { is: 'failed', why: 'not allowed to list it' } } }).is).toBe('unknown')
    expect(look([], { namespaces: ['ci'] }).is).toBe('unknown')
  },
)

test('takes the lease that the controller names for its own, under any name', () => {
  const own = { image, args: ['--leader-election-id=mine'] }
  const objects = [pod('arc-1', own, { node: 'gone' }), lease(3_600, 'mine'), lease(10, 'another')]
  expect(look(objects).is).toBe('gone')
})

function look(objects: readonly ObjectFact[], more: Partial<LiveFacts> = {}): ControllerState {
  const threshold = { value: 0, assumed: true }
  const live: LiveFacts = {
    at: now,
    unreadable: {},
    earlier: undefined,
    forge: undefined,
    podGcThreshold: threshold,
    ...more,
  }
  return scaleSetController(indexCluster({ version: undeclaredVersion, objects, pods: [], live }))
}

function fact(apiVersion: string, kind: string, name: string, fields: object): ObjectFact {
  const object = { apiVersion, kind, namespace, name, uid: `${kind} ${name}` }
  return { object, document: undefined, raw: { apiVersion, kind, metadata: { name, namespace }, ...fields } }
}

function pod(name: string, container: object, { phase = 'Running', node = 'node-1' } = {}): ObjectFact {
  return fact('v1', 'Pod', name, { spec: { nodeName: node, containers: [container] }, status: { phase } })
}

function deployment(replicas: number): ObjectFact {
  const template = { metadata: {}, spec: { containers: [{ image }] } }
  return fact('apps/v1', 'Deployment', 'arc', { spec: { replicas, template } })
}

function lease(secondsAgo: number, name = 'arc-gha-rs-controller'): ObjectFact {
  const renewTime = new Date(now - secondsAgo * 1000).toISOString()
  const spec = { holderIdentity: 'arc-1_0c2e', leaseDurationSeconds: 15, renewTime }
  return fact('coordination.k8s.io/v1', 'Lease', name, { spec })
}
