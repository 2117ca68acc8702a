// The rules for Jobs: defaults, generated labels, Kubernetes' messages, and the fields that may change.
import { expect, test } from 'vitest'
import { containerOf, openPodStage } from '../../../pod-stage.fixture.ts'
import { ApiError } from '../../errors.ts'

const template = { spec: { restartPolicy: 'Never', containers: [containerOf('main')] } }

function open() {
  const { registry } = openPodStage()
  const create = (spec: object, metadata: object = {}) =>
    registry.create('jobs.batch', {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'j', namespace: 'default', ...metadata },
      spec: { template, ...spec },
    })
  return { registry, create }
}

function refusal(act: () => unknown): readonly string[] {
  try {
    act()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return (error.status.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`)
  }
  return []
}

test('defaults, selector and labels are filled in', () => {
  const job = open().create({})
  const { uid } = job.metadata
  const labels = {
    'controller-uid': uid,
    'batch.kubernetes.io/controller-uid': uid,
    'job-name': 'j',
    'batch.kubernetes.io/job-name': 'j',
  }
  expect(job).toMatchObject({
    metadata: { generation: 1, labels },
    spec: {
      parallelism: 1,
      completions: 1,
      backoffLimit: 6,
      completionMode: 'NonIndexed',
      suspend: false,
      manualSelector: false,
      podReplacementPolicy: 'TerminatingOrFailed',
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
      template: { metadata: { labels }, spec: { terminationGracePeriodSeconds: 30 } },
    },
    status: {},
  })
  expect(job['spec']).not.toHaveProperty('template.spec.serviceAccountName')
})

test('the labels contain the whole generated name', () => {
  const { metadata } = open().create({}, { name: undefined, generateName: 'run-' })
  expect(metadata.labels?.['job-name']).toBe(metadata.name)
})

const policy = (rule: object) => ({ podFailurePolicy: { rules: [rule] } })
const rule = 'spec.podFailurePolicy.rules[0]'

test.each([
  [{ backoffLimit: -1 }, 'spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0'],
  [
    { template: { spec: { containers: template.spec.containers } } },
    'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
  ],
  [{ template: { spec: { ...template.spec, containers: [] } } }, 'spec.template.spec.containers: Required value'],
  [
    { podReplacementPolicy: 'TerminatingOrFailed', ...policy({ action: 'Ignore', onPodConditions: [{ type: 'X' }] }) },
    'spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"',
  ],
  [
    policy({ action: 'Ignore' }),
    `${rule}: Invalid value: specifying one of OnExitCodes and OnPodConditions is required`,
  ],
  [
    policy({ action: 'Stop', onPodConditions: [{ type: 'X' }] }),
    `${rule}.action: Unsupported value: "Stop": supported values: "Count", "FailIndex", "FailJob", "Ignore"`,
  ],
  [
    policy({ action: 'Count', onExitCodes: { operator: 'In', values: [0] } }),
    `${rule}.onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator`,
  ],
  [
    policy({ action: 'Count', onExitCodes: { operator: 'In', values: [1], containerName: 'other' } }),
    `${rule}.onExitCodes.containerName: Invalid value: "other": must be one of the container or initContainer names in the pod template`,
  ],
  [
    { completions: 2, completionMode: 'Indexed' },
    'spec.completionMode: Forbidden: Indexed Jobs are not supported by the embedded cluster. Set completionMode to NonIndexed',
  ],
  [{ backoffLimitPerIndex: 1 }, 'spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode'],
])('%j is refused', (spec, problem) => {
  expect(refusal(() => open().create(spec))).toEqual([problem])
})

test("another Job's label is refused with Kubernetes' message", () => {
  const metadata = { labels: { 'controller-uid': 'mine' } }
  const [first, ...others] = refusal(() => open().create({ template: { ...template, metadata } }))
  expect(first).toMatch(/^spec\.template\.metadata\.labels\[controller-uid\]: Invalid value: .*must be '/)
  expect(others).toEqual([])
})

test('amounts and durations may change, the work may not', () => {
  const { registry, create } = open()
  create({})
  const patch = (spec: object) =>
    refusal(() => registry.patch('jobs.batch', { namespace: 'default', name: 'j' }, { type: 'merge', body: { spec } }))
  expect(patch({ parallelism: 3, activeDeadlineSeconds: 5, ttlSecondsAfterFinished: 1 })).toEqual([])
  expect(registry.get('jobs.batch', 'default', 'j')?.metadata.generation).toBe(2)
  expect(patch({ completions: 2 })).toEqual(['spec.completions: Invalid value: 2: field is immutable'])
  const [problem] = patch({ template: { spec: { terminationGracePeriodSeconds: 1 } } })
  expect(problem).toMatch(/^spec\.template: Invalid value: .*: field is immutable$/)
  const selected = { nodeSelector: { zone: 'a' } }
  expect(patch({ template: { spec: selected } })).toHaveLength(1)
})

test('the scheduling of a Job that was never started may change', () => {
  const { registry, create } = open()
  create({ suspend: true })
  const body = { spec: { template: { spec: { nodeSelector: { zone: 'a' } } } } }
  const at = { namespace: 'default', name: 'j' }
  expect(refusal(() => registry.patch('jobs.batch', at, { type: 'merge', body }))).toEqual([])
  const command = { spec: { template: { spec: { hostname: 'other' } } } }
  expect(refusal(() => registry.patch('jobs.batch', at, { type: 'merge', body: command }))).toHaveLength(1)
})

const condition = (type: string) => ({ type, status: 'True' })

test.each([
  [{ active: 1, ready: 2 }, 'status.ready: Invalid value: 2: cannot set more ready pods than active'],
  [
    { startTime: '2026-01-01T00:00:00Z', conditions: [condition('Complete')] },
    'status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
  ],
  [
    {
      startTime: '2026-01-01T00:00:00Z',
      terminating: 1,
      conditions: [condition('FailureTarget'), condition('Failed')],
    },
    'status.terminating: Invalid value: 1: terminating>0 is invalid for finished job',
  ],
  [
    { conditions: [condition('FailureTarget'), condition('SuccessCriteriaMet')] },
    'status.conditions: Invalid value: cannot set SuccessCriteriaMet=True and FailureTarget=true conditions',
  ],
])('the status %j is refused', (status, problem) => {
  const { registry, create } = open()
  const job = create({ suspend: true })
  expect(refusal(() => registry.update('jobs.batch', { ...job, status }, { subresource: 'status' }))).toEqual([problem])
})
