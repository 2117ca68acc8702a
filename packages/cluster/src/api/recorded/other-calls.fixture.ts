// The other built-in kinds, and the selectors of lists.
import { type Call, del, dry, get, namespaced, patch, pod, post, put } from './call.fixture.ts'

const at = (plural: string, name = ''): string => `${namespaced}/${plural}${name === '' ? '' : `/${name}`}`
const leases = '/apis/coordination.k8s.io/v1/namespaces/$NS/leases'
const remove = (path: string): object => ({ op: 'remove', path })
const meta = (name: string, more: object = {}): object => ({ metadata: { name, ...more } })

const secrets: readonly Call[] = [
  post('secret: create', at('secrets'), { ...meta('s'), stringData: { a: 'x' }, data: { b: 'eA==' }, immutable: true }),
  patch('secret: immutable data', at('secrets', 's'), 'merge', { data: { a: 'eQ==' } }),
  patch('secret: no longer immutable', at('secrets', 's'), 'merge', { immutable: false }),
  patch('secret: another type', at('secrets', 's'), 'merge', { type: 'x/y' }),
  patch('secret: labels', at('secrets', 's'), 'merge', { metadata: { labels: { a: 'b' } } }),
  ...['a/b', '..', '..x'].map((key) =>
    dry(`secret: key ${key}`, at('secrets'), { ...meta('s2'), data: { [key]: '' } }),
  ),
  dry('secret: bad base64', at('secrets'), { ...meta('s2'), data: { a: 'x' } }),
  dry('secret: tls without keys', at('secrets'), { ...meta('s2'), type: 'kubernetes.io/tls' }),
  dry('secret: a pod', at('secrets'), pod('x')),
  del('secret: delete another uid', at('secrets', 's'), { preconditions: { uid: 'x' } }),
  del('secret: delete', at('secrets', 's')),
]

const configMaps: readonly Call[] = [
  dry('configmap: a key twice', at('configmaps'), { ...meta('c'), data: { a: 'x' }, binaryData: { a: 'eA==' } }),
  post('configmap: create', at('configmaps'), { ...meta('c', { finalizers: ['x/y'] }), data: { a: 'x' } }),
  del('configmap: delete', at('configmaps', 'c')),
  del('configmap: delete again', at('configmaps', 'c')),
  patch('configmap: let go', at('configmaps', 'c'), 'merge', { metadata: { finalizers: [] } }),
  get('configmap: gone', at('configmaps', 'c')),
]

const renewTime = '2026-01-01T00:00:00.123456Z'
const others: readonly Call[] = [
  post('lease: create', leases, { ...meta('l'), spec: { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime } }),
  dry('lease: bad numbers', leases, { ...meta('l2'), spec: { leaseDurationSeconds: -1, leaseTransitions: -1 } }),
  dry('lease: a bad time', leases, { ...meta('l2'), spec: { renewTime: '2026-01-01' } }),
  put('lease: another holder', `${leases}/l`, [{ op: 'replace', path: '/spec/holderIdentity', value: 'b' }]),
  put('lease: put without version', `${leases}/l`, [remove('/metadata/resourceVersion')]),
  put('lease: put an old version', `${leases}/l`, [{ op: 'replace', path: '/metadata/resourceVersion', value: '1' }]),
  { title: 'lease: put what is new', method: 'PUT', path: `${leases}/new`, body: { ...meta('new'), spec: {} } },
  post('event: create', at('events'), {
    ...meta('e'),
    involvedObject: { kind: 'Pod', name: 'x', namespace: '$NS' },
    reason: 'R',
    message: 'm',
    type: 'Normal',
    source: { component: 'c' },
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-01T00:00:00Z',
    count: 1,
  }),
  dry('event: another namespace', at('events'), { ...meta('e2'), involvedObject: { namespace: 'other', kind: 'Pod' } }),
  post('serviceaccount: create', at('serviceaccounts'), meta('sa')),
  dry('serviceaccount: in a pod', at('pods'), pod('p1', { serviceAccountName: 'sa' })),
  dry('node: create', '/api/v1/nodes', {
    ...meta('recorded-node', { labels: { a: 'b' } }),
    spec: { unschedulable: true },
    status: { capacity: { cpu: '2', pods: '10' } },
  }),
  dry('namespace: a bad name', '/api/v1/namespaces', meta('Bad_2')),
  dry('namespace: create', '/api/v1/namespaces', meta('recorded-namespace')),
  dry('namespace: again', '/api/v1/namespaces', meta('default')),
  dry('namespace: missing', '/api/v1/namespaces/ghost/pods', pod('p1')),
  del('namespace: default', '/api/v1/namespaces/default'),
  del('namespace: a ghost', '/api/v1/namespaces/ghost'),
]

const labelled = ['a', 'b', 'c', 'd'].map((name, index) =>
  post(
    `list: pod l${name}`,
    at('pods'),
    pod(`l${name}`, {}, {}, { labels: { n: `${index}`, ...(index % 2 ? { odd: '' } : {}) } }),
  ),
)
const labelSelectors = [
  ...['n=1', 'n==1', 'n!=1', 'n in (1,2)', 'n notin (1,2)', 'odd', '!odd', 'n>1', 'n<2', 'n=1,odd', 'n in (,1)', 'x='],
  ...['a b', 'n in 1', '=', 'n=1,', ',n', '!n=1', 'n in ()', 'n=a b', 'A/b/c=1', 'n>x', 'n=1=2', '(n)'],
]
const fieldSelectors = [
  ...['metadata.name=la', 'metadata.name!=la', 'metadata.namespace=x', 'spec.nodeName=', 'status.phase=Pending'],
  ...['spec.restartPolicy=Always', 'spec.hostNetwork=false', 'spec.schedulerName=none', 'spec.nope=1', 'x'],
  ...['metadata.name=la,metadata.name=lb', 'metadata.name=a\\=b', 'metadata.name=a\\x', 'metadata.name=a=b'],
  ...['status.podIP=', 'spec.serviceAccountName=default', 'status.nominatedNodeName='],
]
const selected = (plural: string, path: string, fieldSelector: string): Call =>
  get(`list: ${plural} by ${fieldSelector}`, path, { fieldSelector })

const lists: readonly Call[] = [
  ...labelled,
  ...labelSelectors.map((labelSelector) => get(`list: pods by ${labelSelector}`, at('pods'), { labelSelector })),
  ...fieldSelectors.map((fieldSelector) => selected('pods', at('pods'), fieldSelector)),
  selected('configmaps', at('configmaps'), 'data=x'),
  selected('secrets', at('secrets'), 'type=Opaque'),
  selected('secrets', at('secrets'), 'spec.x=Opaque'),
  selected('nodes', '/api/v1/nodes', 'spec.unschedulable=true'),
  selected('leases', leases, 'spec.x=1'),
  selected('events', at('events'), 'involvedObject.name=x,type=Normal,source=c'),
  selected('namespaces', '/api/v1/namespaces', 'metadata.namespace=x'),
  selected('definitions', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', 'spec.group=x'),
  get('list: a page', at('pods'), { limit: '2' }),
  del('list: delete the odd', at('pods'), undefined, { labelSelector: 'odd' }),
  get('list: the rest', at('pods')),
]

export const otherCalls: readonly Call[] = [...secrets, ...configMaps, ...others, ...lists]
