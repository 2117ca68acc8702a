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
const webhook = {
  name: 'a.b.c',
  clientConfig: { service: { name: 's', namespace: 'ci' } },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
}

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
    'replicasets.apps',
    { spec: { selector, template: template() } },
    { spec: { replicas: 1 }, status: { replicas: 0 } },
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
    'deployments.apps',
    { spec: { selector, template: template({ restartPolicy: 'Never' }) } },
    'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
  ],
  ['deployments.apps', { spec: { template: template() } }, 'spec.selector: Required value'],
  [
    'deployments.apps',
    { spec: { selector: { matchLabels: { a: 'c' } }, template: template() } },
    'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
  ],
  [
    'replicasets.apps',
    { spec: { selector, template: template(), replicas: -1 } },
    'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
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

test('a Deployment keeps its selector', () => {
  const spec = { selector: { matchLabels: { a: null }, matchExpressions: [{ key: 'a', operator: 'Exists' }] } }
  expect(change('deployments.apps', { metadata: at, spec: { selector, template: template() } }, { spec })).toEqual([
    'spec.selector: Invalid value: {"matchExpressions":[{"key":"a","operator":"Exists"}]}: field is immutable',
  ])
})

test.each([
  ['cronjobs.batch', 'CronJob', 'a Job'],
  ['daemonsets.apps', 'DaemonSet', 'a Deployment'],
  ['statefulsets.apps', 'StatefulSet', 'a Deployment'],
])('%s are stored with a warning that nothing runs them', (resource, kind, instead) => {
  const warnings: string[] = []
  const warn = (warning: string) => void warnings.push(warning)
  expect(attempt((registry) => registry.create(resource, { metadata: at }, { warn }))).toMatchObject({ kind })
  expect(warnings).toEqual([`the embedded cluster stores a ${kind} and starts no pods for it: use ${instead} instead`])
})
