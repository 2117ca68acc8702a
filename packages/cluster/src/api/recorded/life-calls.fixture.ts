// One pod from creation to deletion: patches, updates, status reports, binding, and the writes that are refused.
import { type Call, del, get, namespaced, patch, pod, post, put } from './call.fixture.ts'

const pods = `${namespaced}/pods`
const [a, never, held] = [`${pods}/a`, `${pods}/never`, `${pods}/held`]
const replace = (path: string, value: unknown): object => ({ op: 'replace', path, value })
const ended = [
  { name: 'main', image: 'x', imageID: '', ready: false, restartCount: 0, state: { terminated: { exitCode: 3 } } },
]

const patches: readonly Call[] = [
  { ...get('life: before', pods), remember: true },
  post('life: create', pods, pod('a', {}, {}, { labels: { app: 'x', tier: 'one' } })),
  post('life: create again', pods, pod('a')),
  get('life: get', a),
  patch('life: merge labels', a, 'merge', { metadata: { labels: { b: 'c', tier: null } } }),
  patch('life: merge nothing new', a, 'merge', { metadata: { labels: { b: 'c' } } }),
  patch('life: strategic image', a, 'strategic', { spec: { containers: [{ name: 'main', image: 'busybox:2' }] } }),
  patch('life: strategic second container', a, 'strategic', { spec: { containers: [{ name: 'two', image: 'x' }] } }),
  patch('life: json', a, 'json', [
    { op: 'add', path: '/spec/activeDeadlineSeconds', value: 60 },
    { op: 'test', path: '/metadata/name', value: 'a' },
  ]),
  patch('life: json failing test', a, 'json', [{ op: 'test', path: '/metadata/name', value: 'b' }]),
  patch('life: json missing path', a, 'json', [{ op: 'remove', path: '/metadata/nope' }]),
  patch('life: json unknown operation', a, 'json', [{ op: 'explode', path: '/metadata/name' }]),
  patch('life: json no list', a, 'json', {}),
  patch('life: merge no object', a, 'merge', []),
  patch('life: rename', a, 'merge', { metadata: { name: 'b' } }),
  patch('life: move', a, 'merge', { metadata: { namespace: 'b' } }),
  patch('life: another uid', a, 'merge', { metadata: { uid: 'b' } }),
  patch('life: an old version', a, 'merge', { metadata: { resourceVersion: '1' } }),
  patch('life: a ghost', `${pods}/ghost`, 'merge', {}),
  patch('life: a longer deadline', a, 'merge', { spec: { activeDeadlineSeconds: 61 } }),
  patch('life: no deadline', a, 'merge', { spec: { activeDeadlineSeconds: null } }),
  patch('life: deletionTimestamp', a, 'merge', { metadata: { deletionTimestamp: '2020-01-01T00:00:00Z' } }),
  patch('life: status through the object', a, 'merge', { status: { phase: 'Running' } }),
  patch('life: unknown field', a, 'merge', { spec: { nope: 1 } }),
  patch('life: condition', `${a}/status`, 'strategic', {
    status: { conditions: [{ type: 'Ready', status: 'False' }] },
  }),
  patch('life: second condition', `${a}/status`, 'strategic', {
    status: { conditions: [{ type: 'Initialized', status: 'True' }] },
  }),
  patch('life: conditions in order', `${a}/status`, 'strategic', {
    status: {
      '$setElementOrder/conditions': [{ type: 'Ready' }, { type: 'Initialized' }],
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  }),
  patch('life: delete a condition', `${a}/status`, 'strategic', {
    status: { conditions: [{ $patch: 'delete', type: 'Initialized' }] },
  }),
  patch('life: add a finalizer', a, 'strategic', { metadata: { finalizers: ['dayfly.dev/x'] } }),
  patch('life: add another', a, 'strategic', { metadata: { finalizers: ['dayfly.dev/y'] } }),
  patch('life: take both', a, 'strategic', {
    metadata: { '$deleteFromPrimitiveList/finalizers': ['dayfly.dev/x', 'dayfly.dev/y'] },
  }),
  patch('life: replace labels', a, 'strategic', { metadata: { labels: { $patch: 'replace', only: 'one' } } }),
]

const updates: readonly Call[] = [
  put('life: put an old version', a, [replace('/metadata/resourceVersion', '1')]),
  put('life: put without version', a, [
    { op: 'remove', path: '/metadata/resourceVersion' },
    { op: 'add', path: '/metadata/annotations', value: { x: 'y' } },
  ]),
  put('life: put another uid', a, [replace('/metadata/uid', 'zzz')]),
  put('life: put another name', a, [replace('/metadata/name', 'b')]),
  put('life: put without uid', a, [{ op: 'remove', path: '/metadata/uid' }]),
  put('life: status: qosClass', `${a}/status`, [replace('/status/qosClass', 'Guaranteed')]),
  put('life: status: ended', `${a}/status`, [
    replace('/status/phase', 'Running'),
    { op: 'add', path: '/spec/hostname', value: 'ignored' },
    { op: 'add', path: '/status/containerStatuses', value: ended },
  ]),
  put('life: status: alive again', `${a}/status`, [replace('/status/containerStatuses/0/state', { running: {} })]),
  post('life: a pod that never restarts', pods, pod('never', { restartPolicy: 'Never' })),
  put('life: status: ended permanently', `${never}/status`, [
    { op: 'add', path: '/status/containerStatuses', value: ended },
  ]),
  put('life: status: alive after its end', `${never}/status`, [
    replace('/status/containerStatuses/0/state', { waiting: {} }),
  ]),
  put('life: status: a bad condition', `${never}/status`, [
    { op: 'add', path: '/status/conditions', value: [{ type: 'A b', status: 'True' }] },
  ]),
]

const deletions: readonly Call[] = [
  post('life: bind', `${a}/binding`, { metadata: { name: 'a' }, target: { kind: 'Node', name: 'n1' } }),
  post('life: bind again', `${a}/binding`, { metadata: { name: 'a' }, target: { kind: 'Node', name: 'n2' } }),
  get('life: bound', a),
  del('life: delete another uid', a, { preconditions: { uid: '0000' } }),
  del('life: delete an old version', a, { preconditions: { resourceVersion: '1' } }),
  del('life: delete an empty uid', a, { preconditions: { uid: '' } }),
  del('life: delete, dry', a, { dryRun: ['All'] }),
  del('life: delete, dry by query', a, undefined, { dryRun: 'All' }),
  del('life: delete', a, { gracePeriodSeconds: 20 }),
  del('life: delete, longer', a, { gracePeriodSeconds: 25 }),
  del('life: delete, the same', a),
  del('life: delete, shorter', a, { gracePeriodSeconds: 5 }),
  post('life: create while deleting', pods, pod('a')),
  patch('life: finalizer while deleting', a, 'merge', { metadata: { finalizers: ['x/y'] } }),
  patch('life: undelete', a, 'merge', { metadata: { deletionTimestamp: null, deletionGracePeriodSeconds: null } }),
  del('life: delete, force', a, { gracePeriodSeconds: 0 }),
  get('life: gone', a),
  del('life: delete what is gone', a),
  del('life: delete the unscheduled', never),
  post('life: held', pods, pod('held', {}, {}, { finalizers: ['dayfly.dev/x'] })),
  del('life: delete the held, foreground, dry', held, { propagationPolicy: 'Foreground', dryRun: ['All'] }),
  del('life: delete the held', held),
  del('life: delete the held again', held),
  patch('life: let go', held, 'json', [{ op: 'remove', path: '/metadata/finalizers' }]),
  get('life: let go and gone', held),
]

const watched: Call = {
  ...get('life: as a watch saw it', pods, { watch: '1', resourceVersion: '$VERSION', timeoutSeconds: '3' }),
  take: 27,
}

export const lifeCalls: readonly Call[] = [...patches, ...updates, ...deletions, watched]
