// Events in both shapes: core/v1 and events.k8s.io/v1 show the same objects.
import { type Call, del, dry, get, namespaced, patch, post, put } from './call.fixture.ts'

const old = `${namespaced}/events`
const young = '/apis/events.k8s.io/v1/namespaces/$NS/events'
const regarding = { kind: 'Pod', name: 'p', namespace: '$NS', fieldPath: 'spec.containers{main}' }
const eventTime = '2026-01-01T00:00:00.123456Z'
const start = '2026-01-01T00:00:00Z'

const legacy = {
  metadata: { name: 'old' },
  involvedObject: regarding,
  ...{ reason: 'Pulled', message: 'Image pulled', type: 'Normal', count: 3 },
  source: { component: 'kubelet', host: 'n1' },
  ...{ firstTimestamp: start, lastTimestamp: '2026-01-01T00:01:00Z' },
}
const modern = {
  metadata: { name: 'young' },
  ...{ regarding, eventTime, reason: 'Started', note: 'It runs', type: 'Warning', action: 'Start' },
  ...{ reportingController: 'dayfly.dev/controller', reportingInstance: 'c-1' },
  related: { kind: 'Node', name: 'n1' },
}
const without = (...names: readonly string[]): object =>
  Object.fromEntries(Object.entries({ ...modern, metadata: { name: 'x' } }).filter(([name]) => !names.includes(name)))
const changed = (change: object): object => ({ ...without(), ...change })

const refused: readonly [string, object][] = [
  ['no time', without('eventTime')],
  ['no controller', without('reportingController')],
  ['no instance', without('reportingInstance')],
  ['no action', without('action')],
  ['no reason', without('reason')],
  ['no type', without('type')],
  ['another type', changed({ type: 'Error' })],
  ['a long note', changed({ note: 'n'.repeat(1025) })],
  ['a long action', changed({ action: 'n'.repeat(129) })],
  ['a bad controller', changed({ reportingController: 'a b' })],
  [
    'old fields',
    changed({ deprecatedCount: 1, deprecatedFirstTimestamp: start, deprecatedSource: { component: 'c' } }),
  ],
  ['a series of one', changed({ series: { count: 1, lastObservedTime: eventTime } })],
  ['no namespace', changed({ regarding: { kind: 'Node', name: 'n' } })],
  ['another namespace', changed({ regarding: { kind: 'Pod', name: 'p', namespace: 'other' } })],
  ['an unknown field', changed({ message: 'x' })],
  ['a wrong type', changed({ note: 1 })],
]

export const eventCalls: readonly Call[] = [
  post('events: create, old', old, legacy),
  post('events: create, new', young, modern),
  get('events: the old one in the new shape', `${young}/old`),
  get('events: the new one in the old shape', `${old}/young`),
  get('events: the new one in the new shape', `${young}/young`),
  ...refused.map(([title, body]) => dry(`events: ${title}`, young, body)),
  dry('events: new fields in the old shape', old, {
    ...{ ...legacy, metadata: { name: 'x' }, eventTime },
  }),
  dry('events: a kind of the other group', young, { ...legacy, apiVersion: 'v1', kind: 'Event' }),
  dry('events: create again', young, modern),
  get('events: missing', `${young}/ghost`),
  ...['regarding.name=p,reason=Started', 'reportingController=dayfly.dev/controller', 'type=Normal'].map(
    (fieldSelector) => get(`events: new by ${fieldSelector}`, young, { fieldSelector }),
  ),
  ...['reportingComponent=dayfly.dev/controller', 'involvedObject.name=p,type=Warning', 'source=kubelet'].map(
    (fieldSelector) => get(`events: old by ${fieldSelector}`, old, { fieldSelector }),
  ),
  get('events: new by an old field', young, { fieldSelector: 'involvedObject.name=p' }),
  get('events: old by a new field', old, { fieldSelector: 'regarding.name=p' }),
  patch('events: a series', `${young}/young`, 'merge', { series: { count: 4, lastObservedTime: eventTime } }),
  patch('events: a series by strategic merge', `${young}/young`, 'strategic', { series: { count: 5 } }),
  patch('events: a label', `${young}/old`, 'merge', { metadata: { labels: { a: 'b' } } }),
  patch('events: a series of one later', `${young}/young`, 'merge', { series: { count: 1 } }),
  patch('events: another note', `${young}/young`, 'merge', { note: 'x' }),
  patch('events: another subject', `${young}/young`, 'merge', { regarding: { name: 'q' } }),
  patch('events: another reason', `${young}/young`, 'merge', { reason: 'Other' }),
  patch('events: another count, old', `${old}/old`, 'strategic', { count: 4 }),
  put('events: put, new', `${young}/young`, [{ op: 'replace', path: '/series/count', value: 6 }]),
  get('events: the series in the old shape', `${old}/young`),
  {
    title: 'events: put what is new',
    method: 'PUT',
    path: `${young}/put`,
    body: { ...modern, metadata: { name: 'put' } },
  },
  del('events: delete, new', `${young}/old`),
  get('events: deleted in the old shape, too', `${old}/old`),
  del('events: delete, old', `${old}/young`),
  del('events: delete the last', `${young}/put`),
]
