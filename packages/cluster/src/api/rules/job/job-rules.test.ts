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

test('Indexed Jobs are refused', () => {
  expect(refusal(() => open().create({ completions: 2, completionMode: 'Indexed' }))).toEqual([
    'spec.completionMode: Forbidden: Indexed Jobs are not supported by the embedded cluster. Set completionMode to NonIndexed',
  ])
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
