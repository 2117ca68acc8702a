// Valid and invalid new pods.
import { type Call, dry, namespaced, pod } from './call.fixture.ts'

type Json = Readonly<Record<string, unknown>>

const pods = `${namespaced}/pods`
const inSpec = (title: string, spec: Json): Call => dry(`pod: ${title}`, pods, pod('p1', spec))
const inContainer = (title: string, container: Json): Call => dry(`pod: ${title}`, pods, pod('p1', {}, container))
const inMetadata = (title: string, metadata: Json): Call => dry(`pod: ${title}`, pods, pod('p1', {}, {}, metadata))
const inInit = (title: string, container: Json): Call =>
  inSpec(title, { initContainers: [{ name: 'i', image: 'x', ...container }] })
const exec = { exec: { command: ['a'] } }
const variable = (title: string, valueFrom: Json, more: Json = {}): Call =>
  inContainer(title, { env: [{ name: 'A', valueFrom, ...more }] })

const names: readonly Call[] = [
  inSpec('plain', {}),
  dry('pod: no name', pods, { ...pod('x'), metadata: {} }),
  inMetadata('a bad name', { name: 'Bad_Name' }),
  // One error for each call: kube-apiserver reports several errors of a map in random order.
  inMetadata('a bad label key', { labels: { 'a b': 'x' } }),
  inMetadata('a bad label', { labels: { ok: 'no way' } }),
  inMetadata('a bad annotation', { annotations: { 'A/b': 'x', 'a/b/c': '' } }),
  inMetadata('finalizers', { finalizers: ['bad', 'x/y', 'orphan', 'foregroundDeletion'] }),
  inMetadata('two controllers', {
    ownerReferences: ['x', 'y'].map((name) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name,
      uid: name,
      controller: true,
    })),
  }),
  inMetadata('an empty owner', { ownerReferences: [{ apiVersion: '', kind: '', name: '', uid: '' }] }),
  inMetadata('what only the server sets', {
    deletionTimestamp: '2020-01-01T00:00:00Z',
    uid: 'abc',
    generation: 9,
    creationTimestamp: '2020-01-01T00:00:00Z',
  }),
  dry('pod: a Secret', pods, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } }),
  dry('pod: another version', pods, { ...pod('x'), apiVersion: 'v2' }),
  dry('pod: another namespace', pods, pod('x', {}, {}, { namespace: 'other' })),
]

const containers: readonly Call[] = [
  inSpec('no containers', { containers: [] }),
  inSpec('containers missing', { containers: undefined }),
  inContainer('no image', { image: undefined }),
  inContainer('no container name', { name: undefined }),
  inContainer('a bad container name', { name: 'Bad_Name' }),
  inContainer('a dotted container name', { name: 'a.b' }),
  inSpec('a container name twice', { containers: [1, 2].map(() => ({ name: 'a', image: 'x' })) }),
  inInit('an init container named as a container', { name: 'main' }),
  inInit('a sidecar with probe and hook', {
    restartPolicy: 'Always',
    startupProbe: exec,
    lifecycle: { preStop: exec },
  }),
  inInit('a plain init container with probes and hook', {
    startupProbe: exec,
    livenessProbe: exec,
    readinessProbe: exec,
    lifecycle: { preStop: exec },
  }),
  inInit('init restartPolicy OnFailure', { restartPolicy: 'OnFailure' }),
  inInit('init restartPolicy Sometimes', { restartPolicy: 'Sometimes' }),
  inContainer('container restartPolicy Never', { restartPolicy: 'Never' }),
  inContainer('restart rules without policy', {
    restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [1] } }],
  }),
  inContainer('bad restart rules', {
    restartPolicy: 'Never',
    restartPolicyRules: [{ action: 'Explode', exitCodes: { operator: 'Near', values: [1] } }, { action: 'Restart' }],
  }),
  inContainer('bad policies', { imagePullPolicy: 'Often', terminationMessagePolicy: 'Shout' }),
  ...['x/y:latest', 'localhost:5000/x', `x@sha256:${'a'.repeat(64)}`, ' x '].map((image) =>
    inContainer(`image ${image}`, { image }),
  ),
  dry(
    'pod: three faults',
    pods,
    pod('p1', { restartPolicy: 'Sometimes' }, { name: 'Bad_Name', volumeMounts: [{ name: 'nope', mountPath: '/x' }] }),
  ),
]

const resources: readonly Call[] = [
  { limits: { cpu: '1000m', memory: '1024Mi', 'example.com/gpu': 1 }, requests: { cpu: 0.5 } },
  { requests: { cpu: '1.5', memory: '1500Mi', 'ephemeral-storage': '1e3' } },
  { limits: { cpu: '1' }, requests: { cpu: '1500m' } },
  { limits: { cpu: '-1' } },
  { limits: { gpu: '1' } },
  { requests: { 'example.com/gpu': '1' } },
  { limits: { cpu: 'much' } },
  { limits: { cpu: true } },
].map((given) => inContainer(`resources ${JSON.stringify(given)}`, { resources: given }))

const key = { name: 's', key: 'k' }
const environment: readonly Call[] = [
  variable('a value and a source', { secretKeyRef: key }, { value: 'b' }),
  variable('no source', {}),
  variable('two sources', { secretKeyRef: key, configMapKeyRef: key }),
  inContainer('bad variable names', {
    env: [
      { name: 'A=B', value: 'x' },
      { name: '', value: 'y' },
    ],
  }),
  variable('a bad secret', { secretKeyRef: { name: 'Bad_', key: 'a/b' } }),
  variable('an empty config map', { configMapKeyRef: {} }),
  variable('a field', { fieldRef: { fieldPath: 'metadata.name' } }),
  variable('a label', { fieldRef: { fieldPath: "metadata.labels['a']" } }),
  variable('a limit', { resourceFieldRef: { resource: 'limits.cpu' } }),
  variable('an unknown field', { fieldRef: { fieldPath: 'spec.nope' } }),
  variable('all labels', { fieldRef: { fieldPath: 'metadata.labels' } }),
  variable('no field', { fieldRef: {} }),
  variable('an unknown limit', { resourceFieldRef: { resource: 'limits.x' } }),
  inContainer('envFrom', { envFrom: [{ secretRef: { name: 's' } }, { configMapRef: { name: 'c' }, prefix: 'X_' }] }),
  inContainer('bad envFrom', { envFrom: [{}, { secretRef: {}, configMapRef: { name: 'C_' } }] }),
]

const ports: readonly Call[] = [
  inContainer('ports', {
    ports: [{ containerPort: 80 }, { name: 'http', containerPort: 81, protocol: 'UDP', hostPort: 8081 }],
  }),
  inContainer('bad ports', { ports: [{ containerPort: 0 }, { name: 'UP', containerPort: 70000, protocol: 'X' }] }),
  inContainer('a host port twice', {
    ports: [
      { containerPort: 80, hostPort: 1 },
      { containerPort: 81, hostPort: 1 },
    ],
  }),
  dry('pod: ports on the host network', pods, pod('p1', { hostNetwork: true }, { ports: [{ containerPort: 80 }] })),
]

const probes: readonly Call[] = [
  inContainer('probes and hooks', {
    livenessProbe: { httpGet: { port: 80 } },
    readinessProbe: { tcpSocket: { port: 'http' } },
    startupProbe: { grpc: { port: 5 }, periodSeconds: 1 },
    lifecycle: { postStart: { sleep: { seconds: 3 } }, preStop: { httpGet: { port: 1, path: '/x' } } },
  }),
  inContainer('bad probes and hooks', {
    livenessProbe: { successThreshold: 2, exec: {} },
    readinessProbe: { terminationGracePeriodSeconds: 5, httpGet: { port: 0 }, tcpSocket: { port: 80 } },
    startupProbe: { periodSeconds: -1, ...exec },
    lifecycle: { postStart: {}, preStop: { sleep: { seconds: 300 } } },
  }),
  inContainer('a bad scheme', { livenessProbe: { httpGet: { port: 'UPPER_CASE_PORT_NAME', scheme: 'FTP' } } }),
]

const mounted = (volumeMounts: readonly Json[]): Json => pod('p1', { volumes: [{ name: 'v' }] }, { volumeMounts })
const volumes: readonly Call[] = [
  inContainer('a mount without its volume', { volumeMounts: [{ name: 'nope', mountPath: '/x' }] }),
  inContainer('an empty mount', { volumeMounts: [{}] }),
  dry('pod: a mount path twice', pods, mounted([1, 2].map(() => ({ name: 'v', mountPath: '/x' })))),
  dry(
    'pod: bad sub-paths',
    pods,
    mounted([
      { name: 'v', mountPath: '/x', subPath: '../y' },
      { name: 'v', mountPath: '/z', subPath: 'a', subPathExpr: '/b' },
    ]),
  ),
  inSpec('volumes', {
    volumes: [
      { name: 'a' },
      { name: 'b', secret: { secretName: 's' } },
      { name: 'c', configMap: { name: 'c', items: [{ key: 'k', path: 'p', mode: 0o400 }] } },
      { name: 'd', hostPath: { path: '/x' } },
      { name: 'e', emptyDir: { sizeLimit: '1024Mi' } },
      { name: 'f', downwardAPI: { items: [{ path: 'a', fieldRef: { fieldPath: 'metadata.name' } }] } },
      { name: 'g', projected: { sources: [{ secret: { name: 's' } }] } },
    ],
  }),
  inSpec('bad volumes', {
    volumes: [
      { name: 'Bad_' },
      { name: 'b', secret: {} },
      { name: 'c', configMap: { items: [{}] } },
      { name: 'd', hostPath: { path: '/x/../y', type: 'Nope' } },
      { name: 'e', emptyDir: {}, secret: { secretName: 'x' } },
      {
        name: 'f',
        secret: {
          secretName: 'x',
          defaultMode: 9999,
          items: [
            { key: 'a', path: '../b' },
            { key: 'a', path: '/b', mode: -1 },
          ],
        },
      },
      { emptyDir: {} },
    ],
  }),
  inSpec('a volume twice', { volumes: [{ name: 'a' }, { name: 'a' }] }),
]

const placement: readonly Call[] = [
  inSpec('dnsPolicy', { dnsPolicy: 'Fast' }),
  inSpec('activeDeadlineSeconds', { activeDeadlineSeconds: 0 }),
  inSpec('hostname and subdomain', { hostname: 'A_', subdomain: 'b.c' }),
  inSpec('nodeSelector', { nodeSelector: { 'a/b/c': 'x y' } }),
  inSpec('nodeName', { nodeName: 'Ghost!' }),
  inSpec('tolerations', {
    tolerations: [
      { key: 'a', operator: 'Exists' },
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 },
    ],
  }),
  inSpec('bad tolerations', {
    tolerations: [
      { operator: 'Equal' },
      { key: 'a b', operator: 'Exists', value: 'x' },
      { key: 'a', operator: 'Near' },
      { key: 'a', effect: 'No' },
      { key: 'a', tolerationSeconds: 1 },
    ],
  }),
  inSpec('an ephemeral container', { ephemeralContainers: [{ name: 'x', image: 'y' }] }),
  inSpec('a scheduling gate', { schedulingGates: [{ name: 'a' }] }),
  inSpec('a scheduling gate on a node', { schedulingGates: [{ name: 'a' }], nodeName: 'x' }),
  inSpec('a missing service account', { serviceAccountName: 'ghost' }),
  inSpec('a missing priority class', { priorityClassName: 'ghost' }),
  inSpec('a system priority class', { priorityClassName: 'system-node-critical' }),
  inSpec('a priority', { priority: 5 }),
  inSpec('a missing runtime class', { runtimeClassName: 'ghost' }),
]

const shapes: readonly Call[] = [
  inSpec('type: a number as string', { terminationGracePeriodSeconds: 'x' }),
  inSpec('type: a fraction', { terminationGracePeriodSeconds: 1.5 }),
  inSpec('type: a list as object', { containers: {} }),
  inContainer('type: a string as number', { name: 7 }),
  inSpec('type: a named string as bool', { restartPolicy: true }),
  inSpec('type: a map of numbers', { nodeSelector: { a: 1 } }),
  inSpec('type: an object as list', { securityContext: [] }),
  inContainer('type: a list as string', { env: 'x' }),
  inContainer('type: a list of strings as string', { command: 'x' }),
  inMetadata('type: a label as bool', { labels: { a: true } }),
  inMetadata('type: labels as list', { labels: [] }),
  inMetadata('type: a time', { creationTimestamp: 'x' }),
  inContainer('type: a port too large', { ports: [{ containerPort: 99_999_999_999 }] }),
  inContainer('type: a port as object', { livenessProbe: { httpGet: { port: {} } } }),
  ...['Warn', 'Strict', 'Ignore'].map((fieldValidation) =>
    dry(
      `pod: unknown fields, ${fieldValidation}`,
      pods,
      pod('p1', { containerz: [] }, { imagee: 'x' }, { labelz: {} }),
      {
        fieldValidation,
      },
    ),
  ),
  dry('pod: nulls', pods, pod('p1', { nodeSelector: null, tolerations: null }, { env: null, args: [null] })),
  dry(
    'pod: empty values',
    pods,
    pod(
      'p1',
      { nodeSelector: {}, hostname: '', hostNetwork: false, volumes: [] },
      { env: [], args: [], stdin: false, resources: {} },
      { labels: {}, annotations: {} },
    ),
  ),
  dry(
    'pod: security contexts',
    pods,
    pod(
      'p1',
      { securityContext: { runAsUser: 0, fsGroup: 5 }, shareProcessNamespace: true },
      { securityContext: { privileged: true, runAsNonRoot: false, capabilities: { add: ['X'] } } },
    ),
  ),
]

export const podCalls: readonly Call[] = [
  ...names,
  ...containers,
  ...resources,
  ...environment,
  ...ports,
  ...probes,
  ...volumes,
  ...placement,
  ...shapes,
]
