// The cells of `kubectl get pods`, one situation in each row.
import { describe, expect, test } from 'vitest'
import type { StoredObject } from '../../store/object.ts'
import { podPrinter } from './pod-printer.ts'

const now = Date.parse('2026-01-01T01:00:00Z')

type Parts = {
  readonly spec?: object
  readonly status?: object
  readonly metadata?: object
}

function cells({ spec, status, metadata }: Parts): readonly unknown[] {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:58:30Z', ...metadata },
    spec: { containers: [{ name: 'runner' }], ...spec },
    status: { phase: 'Running', ...status },
  } satisfies StoredObject
  return podPrinter.cells(pod, now)
}

const running = (name: string, more: object = {}) => ({
  name,
  ready: true,
  started: true,
  state: { running: {} },
  ...more,
})
const waiting = (name: string, reason: string) => ({ name, ready: false, state: { waiting: { reason } } })
const ended = (name: string, exitCode: number, reason = exitCode === 0 ? 'Completed' : 'Error') => ({
  name,
  ready: false,
  started: false,
  state: { terminated: { exitCode, reason } },
})
const condition = (type: string, status = 'True') => ({ type, status })
const withSidecar = { initContainers: [{ name: 'docker', restartPolicy: 'Always' }] }
const withInit = { initContainers: [{ name: 'one' }, { name: 'two' }] }

const rows: readonly (readonly [string, Parts, string, string])[] = [
  ['not scheduled', { status: { phase: 'Pending' } }, '0/1', 'Pending'],
  [
    'held by a scheduling gate',
    {
      status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] },
    },
    '0/1',
    'SchedulingGated',
  ],
  [
    'pulling',
    { status: { phase: 'Pending', containerStatuses: [waiting('runner', 'ContainerCreating')] } },
    '0/1',
    'ContainerCreating',
  ],
  ['running', { status: { containerStatuses: [running('runner')] } }, '1/1', 'Running'],
  ['crashing', { status: { containerStatuses: [waiting('runner', 'CrashLoopBackOff')] } }, '0/1', 'CrashLoopBackOff'],
  ['succeeded', { status: { phase: 'Succeeded', containerStatuses: [ended('runner', 0)] } }, '0/1', 'Completed'],
  ['failed', { status: { phase: 'Failed', containerStatuses: [ended('runner', 3)] } }, '0/1', 'Error'],
  [
    'out of memory',
    { status: { phase: 'Failed', containerStatuses: [ended('runner', 137, 'OOMKilled')] } },
    '0/1',
    'OOMKilled',
  ],
  [
    'without a reason',
    { status: { phase: 'Failed', containerStatuses: [ended('runner', 3, '')] } },
    '0/1',
    'ExitCode:3',
  ],
  ['evicted', { status: { phase: 'Failed', reason: 'Evicted' } }, '0/1', 'Evicted'],
  [
    'first of two init containers runs',
    { spec: withInit, status: { phase: 'Pending', initContainerStatuses: [{ ...running('one'), started: true }] } },
    '0/1',
    'Init:0/2',
  ],
  [
    'second init container runs',
    { spec: withInit, status: { phase: 'Pending', initContainerStatuses: [ended('one', 0), running('two')] } },
    '0/1',
    'Init:1/2',
  ],
  [
    'an init container failed',
    { spec: withInit, status: { phase: 'Pending', initContainerStatuses: [ended('one', 1)] } },
    '0/1',
    'Init:Error',
  ],
  [
    'an init container crashes',
    { spec: withInit, status: { phase: 'Pending', initContainerStatuses: [waiting('one', 'CrashLoopBackOff')] } },
    '0/1',
    'Init:CrashLoopBackOff',
  ],
  [
    'a sidecar whose startup probe has not passed',
    {
      spec: withSidecar,
      status: {
        phase: 'Pending',
        initContainerStatuses: [running('docker', { started: false, ready: false })],
        containerStatuses: [waiting('runner', 'PodInitializing')],
      },
    },
    '0/2',
    'Init:0/1',
  ],
  [
    'running with its sidecar',
    {
      spec: withSidecar,
      status: {
        conditions: [condition('Initialized'), condition('Ready')],
        initContainerStatuses: [running('docker')],
        containerStatuses: [running('runner')],
      },
    },
    '2/2',
    'Running',
  ],
  [
    'runner ended, sidecar still stopping',
    {
      spec: withSidecar,
      status: {
        conditions: [condition('Initialized'), condition('Ready', 'False')],
        initContainerStatuses: [running('docker')],
        containerStatuses: [ended('runner', 0)],
      },
    },
    '1/2',
    'Completed',
  ],
  [
    'sidecar killed at the end',
    {
      spec: withSidecar,
      status: {
        phase: 'Succeeded',
        conditions: [condition('Initialized')],
        initContainerStatuses: [ended('docker', 137)],
        containerStatuses: [ended('runner', 0)],
      },
    },
    '0/2',
    'Completed',
  ],
  [
    'runner ended, an ordinary container continues (incident S0)',
    {
      spec: { containers: [{ name: 'runner' }, { name: 'docker' }] },
      status: {
        conditions: [condition('Initialized'), condition('Ready', 'False')],
        containerStatuses: [ended('runner', 0), running('docker')],
      },
    },
    '1/2',
    'NotReady',
  ],
  [
    'being deleted',
    {
      metadata: { deletionTimestamp: '2026-01-01T01:00:10Z' },
      status: { containerStatuses: [running('runner')] },
    },
    '1/1',
    'Terminating',
  ],
  [
    'deleted after it ended',
    {
      metadata: { deletionTimestamp: '2026-01-01T01:00:10Z' },
      status: { phase: 'Succeeded', containerStatuses: [ended('runner', 0)] },
    },
    '0/1',
    'Completed',
  ],
  [
    'being deleted on a lost node',
    { metadata: { deletionTimestamp: '2026-01-01T01:00:10Z' }, status: { reason: 'NodeLost' } },
    '0/1',
    'Unknown',
  ],
]

test.each(rows)('%s', (_, parts, ready, status) => {
  expect(cells(parts).slice(0, 5)).toEqual(['a', ready, status, '0', '90s'])
})

describe('restarts', () => {
  const lastState = { terminated: { finishedAt: '2026-01-01T00:57:00Z' } }

  test('show the time of the last one', () => {
    const parts = { status: { containerStatuses: [running('runner', { restartCount: 2, lastState })] } }
    expect(cells(parts)[3]).toBe('2 (3m ago)')
  })

  test('include those of sidecars, and exclude those of finished init containers', () => {
    const spec = { initContainers: [{ name: 'one' }, { name: 'docker', restartPolicy: 'Always' }] }
    const initContainerStatuses = [
      { ...ended('one', 0), restartCount: 7 },
      running('docker', { restartCount: 1, lastState }),
    ]
    const containerStatuses = [running('runner', { restartCount: 1 })]
    expect(cells({ spec, status: { initContainerStatuses, containerStatuses } })[3]).toBe('2 (3m ago)')
  })
})

test('wide columns show addresses, nodes and readiness gates', () => {
  const spec = { nodeName: 'here', readinessGates: [{ conditionType: 'x/a' }, { conditionType: 'x/b' }] }
  const status = { podIPs: [{ ip: '10.0.0.1' }], conditions: [condition('x/a')] }
  expect(cells({ spec, status }).slice(5)).toEqual(['10.0.0.1', 'here', '<none>', '1/2'])
  expect(cells({}).slice(5)).toEqual(['<none>', '<none>', '<none>', '<none>'])
})
