// Workloads and kinds that are only stored: their defaults and their validation.
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { expect, test } from 'vitest'
import { createStore } from '../../store/store.ts'
import { createRegistry } from '../create-registry.ts'
import { ApiError } from '../errors.ts'
import type { Registry } from '../registry.ts'

const at = { name: 'x', namespace: 'ci' }
const containers = [{ name: 'main', image: 'busybox:1' }]
const template = (spec: object = {}) => ({ metadata: { labels: { a: 'b' } }, spec: { containers, ...spec } })
const selector = { matchLabels: { a: 'b' } }
const update = 'spec.updateStrategy.rollingUpdate'
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
  return attempt((registry) => registry.create(resource, object))
}

/** Creates an object and changes it. */
function change(resource: string, object: object, body: object) {
  return attempt((registry) => {
    registry.create(resource, object)
    return registry.patch(resource, { namespace: 'ci', name: 'x' }, { type: 'merge', body })
  })
}

/** Returns the object, or the causes of the refusal. */
function attempt(write: (registry: Registry) => object) {
  const registry = createRegistry({ store: createStore(), clock: virtualClock(), random: seededRandom(1) })
  registry.create('namespaces', { metadata: { name: 'ci' } })
  try {
    return write(registry)
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
    { spec: { ...job(), schedule: '61 * * * *' } },
    'spec.schedule: Invalid value: "61 * * * *": end of range (61) above maximum (59): 61',
  ],
  [
    'cronjobs.batch',
    { spec: { ...job(), schedule: 'TZ=UTC 0 3 * * *' } },
    'spec.schedule: Invalid value: "TZ=UTC 0 3 * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
  ],
  [
    'cronjobs.batch',
    { spec: { ...job(), timeZone: 'Mars/Olympus' } },
    'spec.timeZone: Invalid value: "Mars/Olympus": unknown time zone Mars/Olympus',
  ],
  [
    'cronjobs.batch',
    { spec: { ...job(), timeZone: '' } },
    'spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string',
  ],
  [
    'cronjobs.batch',
    { spec: { ...job(), timeZone: 'Local' } },
    'spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
  ],
  [
    'cronjobs.batch',
    { spec: { ...job(), startingDeadlineSeconds: -1 } },
    'spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0',
  ],
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
    'statefulsets.apps',
    { spec: { selector, template: template(), podManagementPolicy: 'Ordered' } },
    "spec.podManagementPolicy: Invalid value: \"Ordered\": must be 'OrderedReady' or 'Parallel'",
  ],
  [
    'statefulsets.apps',
    { spec: { selector, template: template(), updateStrategy: { type: 'Recreate' } } },
    'spec.updateStrategy: Invalid value: {"type":"Recreate"}: must be \'RollingUpdate\' or \'OnDelete\'',
  ],
  [
    'statefulsets.apps',
    { spec: { selector, template: template(), ordinals: { start: -1 } } },
    'spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0',
  ],
  [
    'replicasets.apps',
    { spec: { selector, template: template(), replicas: -1 } },
    'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
  ],
  ['controllerrevisions.apps', { revision: 1 }, 'data: Required value: data is mandatory'],
  ['controllerrevisions.apps', { data: [], revision: 1 }, 'data: Required value: data must be a valid JSON object'],
  [
    'controllerrevisions.apps',
    { data: {}, revision: -1 },
    'revision: Invalid value: -1: must be greater than or equal to 0',
  ],
  [
    'poddisruptionbudgets.policy',
    { spec: { minAvailable: 1, maxUnavailable: 1 } },
    'spec: Invalid value: {"minAvailable":1,"maxUnavailable":1}: minAvailable and maxUnavailable cannot be both set',
  ],
])('%s is refused as Kubernetes does: %#', (resource, object, expected) => {
  expect(create(resource, { metadata: at, ...object })).toEqual([expected])
})

test.each([
  [
    { type: 'Recreate' },
    'spec.updateStrategy: Unsupported value: {"type":"Recreate"}: supported values: "RollingUpdate", "OnDelete"',
  ],
  [
    { rollingUpdate: { maxSurge: 1 } },
    `${update}.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero`,
  ],
  [
    { rollingUpdate: { maxUnavailable: '0%' } },
    `${update}.maxUnavailable: Required value: cannot be 0 when maxSurge is 0`,
  ],
  [
    { rollingUpdate: { maxUnavailable: -1 } },
    `${update}.maxUnavailable: Invalid value: -1: must be greater than or equal to 0`,
  ],
  [
    { rollingUpdate: { maxUnavailable: '101%' } },
    `${update}.maxUnavailable: Invalid value: "101%": must not be greater than 100%`,
  ],
  [
    { rollingUpdate: { maxUnavailable: 'x' } },
    `${update}.maxUnavailable: Invalid value: "x": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')`,
  ],
])('a DaemonSet with the strategy %j is refused', (updateStrategy, expected) => {
  const spec = { selector, template: template(), updateStrategy }
  expect(create('daemonsets.apps', { metadata: at, spec })).toEqual([expected])
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

test.each([
  [
    'statefulsets.apps',
    { spec: { selector, template: template() } },
    { spec: { serviceName: 's' } },
    "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
  ],
  [
    'daemonsets.apps',
    { spec: { selector, template: template() } },
    { spec: { selector: { matchLabels: { a: null }, matchExpressions: [{ key: 'a', operator: 'Exists' }] } } },
    'spec.selector: Invalid value: {"matchExpressions":[{"key":"a","operator":"Exists"}]}: field is immutable',
  ],
  [
    'controllerrevisions.apps',
    { data: { a: 1 }, revision: 1 },
    { data: { a: 2 } },
    'data: Invalid value: {"a":2}: field is immutable',
  ],
])('%s refuses a change of what must stay', (resource, object, body, expected) => {
  expect(change(resource, { metadata: at, ...object }, body)).toEqual([expected])
})

test('a StatefulSet may be scaled, and a revision gets a new number', () => {
  const set = { metadata: at, spec: { selector, template: template() } }
  expect(change('statefulsets.apps', set, { spec: { replicas: 3 } })).toMatchObject({ metadata: { generation: 2 } })
  const revision = { metadata: at, data: { a: 1 }, revision: 1 }
  expect(change('controllerrevisions.apps', revision, { revision: 2 })).toMatchObject({ data: { a: 1 }, revision: 2 })
})
