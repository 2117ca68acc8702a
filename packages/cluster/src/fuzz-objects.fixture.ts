// Objects of many kinds for the fuzz of the API server, and hostile changes to them.
import { type Random, randomInteger } from '@dayfly/kit/random'

type Json = unknown

/** The path of a collection of the API, and one valid object of it. */
export type Sample = { readonly at: string; readonly object: Readonly<Record<string, Json>> }

const container = { name: 'main', image: 'busybox', resources: { requests: { cpu: '100m', memory: '64Mi' } } }
const template = { metadata: { labels: { app: 'a' } }, spec: { restartPolicy: 'Never', containers: [container] } }
const always = { ...template, spec: { containers: [container] } }
const selector = { matchLabels: { app: 'a' } }
const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer', minimum: 0, default: 1 },
        tag: { type: 'string', pattern: '^[a-z]+$', maxLength: 9 },
        list: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set', maxItems: 9 },
        any: { 'x-kubernetes-preserve-unknown-fields': true, type: 'object' },
        port: { 'x-kubernetes-int-or-string': true },
      },
      'x-kubernetes-validations': [{ rule: 'self.size < 100', message: 'too large' }],
    },
    status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
}
const names = { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' }
const columns = [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }]
const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }
const definition = {
  group: 'fuzz.dev',
  names,
  scope: 'Namespaced',
  versions: [{ ...version, subresources: { status: {} }, additionalPrinterColumns: columns }],
}
const role = { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] }
const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'a' }
const subject = { kind: 'User', name: 'guest', apiGroup: 'rbac.authorization.k8s.io' }
const involved = { kind: 'Pod', name: 'a', namespace: 'ci' }
const webhook = {
  name: 'a.fuzz.dev',
  clientConfig: { url: 'https://127.0.0.1:9/x' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
}

function sample(at: string, parts: Readonly<Record<string, Json>>, name = 'a'): Sample {
  return { at, object: { metadata: { name, labels: { app: 'a' } }, ...parts } }
}

const core = '/api/v1/namespaces/ci'
const batch = '/apis/batch/v1/namespaces/ci'
const apps = '/apis/apps/v1/namespaces/ci'
const rbac = '/apis/rbac.authorization.k8s.io/v1'
const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

export const samples: readonly Sample[] = [
  sample(`${core}/pods`, { spec: template.spec }),
  sample(`${core}/configmaps`, { data: { a: 'b' }, binaryData: { c: 'AAAA' } }),
  sample(`${core}/secrets`, { type: 'Opaque', data: { a: 'Yg==' }, stringData: { d: 'e' } }),
  sample(`${core}/events`, { involvedObject: involved, reason: 'Fuzz', type: 'Normal', message: 'm', count: 1 }),
  sample(`${core}/serviceaccounts`, { automountServiceAccountToken: false }),
  sample(`${core}/resourcequotas`, { spec: { hard: { pods: '50', 'requests.cpu': '20' } } }),
  sample(`${core}/limitranges`, { spec: { limits: [{ type: 'Container', default: { cpu: '1' } }] } }),
  sample(`${core}/services`, { spec: { ports: [{ port: 80, targetPort: 'http' }], selector: { app: 'a' } } }),
  sample(`${core}/persistentvolumeclaims`, { spec: { accessModes: ['ReadWriteOnce'] } }),
  sample('/api/v1/namespaces', {}, 'other'),
  sample('/api/v1/nodes', { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } }, 'other'),
  sample(`${batch}/jobs`, { spec: { template, backoffLimit: 2, completions: 2, parallelism: 2 } }),
  sample(`${batch}/cronjobs`, { spec: { schedule: '* * * * *', jobTemplate: { spec: { template } } } }),
  sample(`${apps}/deployments`, { spec: { replicas: 2, selector, template: always } }),
  sample(`${apps}/replicasets`, { spec: { replicas: 2, selector, template: always } }),
  sample(`${apps}/statefulsets`, { spec: { replicas: 1, serviceName: 'a', selector, template: always } }),
  sample(`${apps}/daemonsets`, { spec: { selector, template: always } }),
  sample(`${apps}/controllerrevisions`, { data: { spec: { template: always } }, revision: 1 }),
  sample('/apis/policy/v1/namespaces/ci/poddisruptionbudgets', { spec: { minAvailable: '50%', selector } }),
  sample('/apis/coordination.k8s.io/v1/namespaces/ci/leases', { spec: { holderIdentity: 'a', leaseTransitions: 1 } }),
  sample(`${rbac}/namespaces/ci/roles`, role),
  sample(`${rbac}/namespaces/ci/rolebindings`, { roleRef, subjects: [subject] }),
  sample(`${rbac}/clusterroles`, { ...role, aggregationRule: { clusterRoleSelectors: [selector] } }),
  sample(`${rbac}/clusterrolebindings`, { roleRef: { ...roleRef, kind: 'ClusterRole' }, subjects: [subject] }),
  sample('/apis/scheduling.k8s.io/v1/priorityclasses', { value: 5, description: 'x' }),
  sample('/apis/node.k8s.io/v1/runtimeclasses', { handler: 'x', overhead: { podFixed: { cpu: '1m' } } }),
  sample('/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', { webhooks: [webhook] }),
  sample('/apis/autoscaling/v2/namespaces/ci/horizontalpodautoscalers', {
    spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'a', apiVersion: 'apps/v1' } },
  }),
  sample(definitionsPath, { spec: definition }, 'widgets.fuzz.dev'),
  sample('/apis/fuzz.dev/v1/namespaces/ci/widgets', {
    apiVersion: 'fuzz.dev/v1',
    kind: 'Widget',
    spec: { size: 2, tag: 'x', list: ['a'], any: { a: [1] }, port: 'http' },
  }),
  sample('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: 'x', audiences: ['a'] } }),
  sample('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    spec: { user: 'guest', groups: ['a'], resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'ci' } },
  }),
  sample('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    spec: { nonResourceAttributes: { path: '/healthz', verb: 'get' } },
  }),
]

const strings = [
  '',
  ' ',
  'a',
  'ci',
  'A_B',
  '__proto__',
  'constructor',
  'toString',
  'null',
  '../../etc/passwd',
  '%00',
  'a/b/c',
  'a'.repeat(64),
  'a'.repeat(254),
  '-a',
  'a.',
  '\u0000',
  '\ud800',
  '\u202e😀',
  'ﬀ'.repeat(9),
  '1e999',
  '100m',
  '-5',
  '1Ei',
  '9'.repeat(40),
  '0x10',
  '2026-01-01T00:00:00Z',
  '9999-99-99T99:99:99Z',
  '${jndi:x}',
  '$(A)',
  '{{.}}',
  'foregroundDeletion',
  'kubernetes.io/x',
  '*/1 * * * *',
  '(((',
  'self.size > 1',
  '.spec[*]..a',
  'NoExecute',
  'Always',
  '50%',
  '101%',
] as const
const numbers = [0, -0, -1, 1, 1.5, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, 2 ** 63, 1e21, 1e308, 1e-9]

export function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T
}

export function hostileText(random: Random): string {
  return random() < 0.04 ? 'ab-'.repeat(randomInteger(random, 1, 30_000)) : pick(random, strings)
}

/** Returns any small JSON value, often of a wrong type. */
export function hostileValue(random: Random, depth = 0): Json {
  const kind = randomInteger(random, 0, depth > 2 ? 4 : 7)
  if (kind <= 1) return hostileText(random)
  if (kind === 2) return pick(random, numbers)
  if (kind === 3) return pick(random, [null, true, false])
  if (kind === 4) return pick<Json>(random, [[], {}, [[]], [null], [{}], { '': '' }])
  const size = randomInteger(random, 0, 3)
  if (kind === 5) return Array.from({ length: size }, () => hostileValue(random, depth + 1))
  return Object.fromEntries(
    Array.from({ length: size }, () => [pick(random, [...strings, ...fields]), hostileValue(random, depth + 1)]),
  )
}

const fields = [
  ...['metadata', 'spec', 'status', 'name', 'namespace', 'labels', 'annotations', 'finalizers', 'ownerReferences'],
  ...['containers', 'initContainers', 'volumes', 'env', 'ports', 'resources', 'limits', 'requests', 'template'],
  ...['deletionTimestamp', 'creationTimestamp', 'resourceVersion', 'uid', 'generateName', 'managedFields', 'data'],
  ...['selector', 'matchLabels', 'matchExpressions', 'operator', 'values', 'key', 'conditions', 'phase', 'rules'],
  ...['tolerations', 'affinity', 'nodeName', 'hard', 'schedule', 'suspend', 'ttlSecondsAfterFinished', 'versions'],
  ...['lifecycle', 'livenessProbe', 'podFailurePolicy', 'completionMode', 'strategy', 'replicas', '$patch', 'schema'],
  ...['apiVersion', 'kind', 'subjects', 'roleRef', 'containerStatuses', 'state', 'target', 'hostNetwork', 'command'],
]

/** Returns the paths to all values below the given one, itself first. */
export function pathsOf(value: Json, above: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [above]
  return [above, ...Object.entries(value).flatMap(([name, item]) => pathsOf(item, [...above, name]))]
}

/** Returns a copy with some values replaced, removed or added. */
export function mutated(random: Random, object: Json, changes = pick(random, [0, 1, 1, 1, 2])): Json {
  const copy = { root: structuredClone(object) }
  for (let change = 0; change < changes; change++) {
    const path = ['root', ...pick(random, pathsOf(copy.root))]
    const last = path.pop() as string
    let parent: Record<string, Json> = copy
    for (const step of path) parent = parent[step] as Record<string, Json>
    const target = parent[last]
    const roll = random()
    if (roll < 0.4) parent[last] = hostileValue(random)
    else if (roll < 0.55) Reflect.deleteProperty(parent, last)
    else if (Array.isArray(target)) target.push(random() < 0.5 ? structuredClone(target[0]) : hostileValue(random))
    else if (typeof target === 'object' && target !== null) setField(target, pick(random, fields), hostileValue(random))
    else parent[last] = hostileText(random)
  }
  return copy.root
}

function setField(target: object, name: string, value: Json): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })
}
