// The kinds that no controller acts on: their defaults and their validation.
import { expect, test } from 'vitest'
import { seededRandom } from '../../../lib/random.ts'
import { virtualClock } from '../../../lib/virtual-clock.ts'
import { createStore } from '../../store/store.ts'
import { createRegistry } from '../create-registry.ts'
import { ApiError } from '../errors.ts'

const at = { name: 'x', namespace: 'ci' }
const containers = [{ name: 'main', image: 'busybox:1' }]
const template = (spec: object = {}) => ({ metadata: { labels: { a: 'b' } }, spec: { containers, ...spec } })
const selector = { matchLabels: { a: 'b' } }
const webhook = {
  name: 'a.b.c',
  clientConfig: { service: { name: 's', namespace: 'ci' } },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
}
const job = (spec: object = {}) => ({
  schedule: '0 3 * * *',
  jobTemplate: { spec: { template: template({ restartPolicy: 'Never', ...spec }) } },
})

function create(resource: string, object: object) {
  const registry = createRegistry({ store: createStore(), clock: virtualClock(), random: seededRandom(1) })
  registry.create('namespaces', { metadata: { name: 'ci' } })
  try {
    return registry.create(resource, object)
  } catch (error) {
    if (error instanceof ApiError)
      return error.status.details?.causes?.map(({ field, message }) => `${field}: ${message}`)
    throw error
  }
}

test.each([
  [
    'cronjobs.batch',
    { spec: job() },
    {
      spec: {
        concurrencyPolicy: 'Allow',
        suspend: false,
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
        jobTemplate: { spec: { template: { spec: { dnsPolicy: 'ClusterFirst' } } } },
      },
    },
  ],
  [
    'deployments.apps',
    { spec: { selector, template: template() } },
    {
      spec: {
        replicas: 1,
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      },
    },
  ],
  [
    'daemonsets.apps',
    { spec: { selector, template: template() } },
    {
      spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } } },
      status: { numberReady: 0 },
    },
  ],
  [
    'daemonsets.apps',
    { spec: { selector, template: template(), updateStrategy: { type: 'OnDelete' } } },
    { spec: { updateStrategy: { type: 'OnDelete' } } },
  ],
  [
    'replicasets.apps',
    { spec: { selector, template: template() } },
    { spec: { replicas: 1 }, status: { replicas: 0 } },
  ],
  [
    'statefulsets.apps',
    { spec: { selector, serviceName: 's', template: template() } },
    {
      spec: {
        replicas: 1,
        podManagementPolicy: 'OrderedReady',
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain' },
      },
    },
  ],
  [
    'statefulsets.apps',
    {
      spec: {
        selector,
        template: template({ containers: [{ ...containers[0], volumeMounts: [{ name: 'd', mountPath: '/d' }] }] }),
        volumeClaimTemplates: [{ metadata: { name: 'd' }, spec: { accessModes: ['ReadWriteOnce'] } }],
      },
    },
    { spec: { replicas: 1 } },
  ],
  [
    'poddisruptionbudgets.policy',
    { spec: { selector, maxUnavailable: 0 } },
    { spec: { maxUnavailable: 0 }, status: { disruptionsAllowed: 0 } },
  ],
  [
    'mutatingwebhookconfigurations.admissionregistration.k8s.io',
    { webhooks: [webhook] },
    {
      webhooks: [
        {
          failurePolicy: 'Fail',
          timeoutSeconds: 10,
          rules: [{ scope: '*' }],
          clientConfig: { service: { port: 443 } },
        },
      ],
    },
  ],
])('%s gets its defaults', (resource, object, expected) => {
  const namespaced = !resource.startsWith('mutating')
  expect(create(resource, { metadata: namespaced ? at : { name: 'x' }, ...object })).toMatchObject({
    metadata: { generation: 1 },
    ...expected,
  })
})

test.each([
  [
    'cronjobs.batch',
    { spec: { ...job(), schedule: 'x' } },
    'spec.schedule: Invalid value: "x": expected exactly 5 fields, found 1: [x]',
  ],
  ['cronjobs.batch', { spec: { ...job(), schedule: '' } }, 'spec.schedule: Required value'],
  [
    'cronjobs.batch',
    { spec: { ...job(), concurrencyPolicy: 'x' } },
    'spec.concurrencyPolicy: Unsupported value: "x": supported values: "Allow", "Forbid", "Replace"',
  ],
  [
    'cronjobs.batch',
    { spec: job({ restartPolicy: 'Always' }) },
    'spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
  ],
  [
    'deployments.apps',
    { spec: { selector, template: template({ restartPolicy: 'Never' }) } },
    'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
  ],
  ['daemonsets.apps', { spec: { template: template() } }, 'spec.selector: Required value'],
  [
    'statefulsets.apps',
    { spec: { selector: { matchLabels: { a: 'c' } }, template: template() } },
    'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
  ],
  [
    'poddisruptionbudgets.policy',
    { spec: { minAvailable: 1, maxUnavailable: 1 } },
    'spec: Invalid value: {"minAvailable":1,"maxUnavailable":1}: minAvailable and maxUnavailable cannot be both set',
  ],
])('%s is refused as Kubernetes does: %#', (resource, object, expected) => {
  expect(create(resource, { metadata: at, ...object })).toEqual([expected])
})

test('a webhook must name its versions, its side effects and one target', () => {
  const { sideEffects: _, clientConfig: __, ...rest } = webhook
  expect(
    create('mutatingwebhookconfigurations.admissionregistration.k8s.io', { metadata: { name: 'x' }, webhooks: [rest] }),
  ).toEqual([
    'webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun',
    'webhooks[0].clientConfig: Required value: exactly one of url or service is required',
  ])
})

test("a CronJob's name leaves room for the timestamp in the names of its Jobs", () => {
  const causes = create('cronjobs.batch', { metadata: { ...at, name: 'n'.repeat(53) }, spec: job() })
  expect(causes).toEqual([expect.stringContaining('must be no more than 52 characters')])
})
