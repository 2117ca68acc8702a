// ResourceQuotas and LimitRanges: their validation, what they refuse and set, and the counts in a quota's status. Each has a
// namespace of its own, so that they limit no other call.
import { type Call, del, dry, get, patch, pod, post } from './call.fixture.ts'

type Fields = Readonly<Record<string, unknown>>

const meta = (name: string): Fields => ({ metadata: { name } })
const inQuota = '/api/v1/namespaces/$NS-quota'
const inLimits = '/api/v1/namespaces/$NS-limits'
const [quotas, pods] = [`${inQuota}/resourcequotas`, `${inQuota}/pods`]
const [ranges, limited] = [`${inLimits}/limitranges`, `${inLimits}/pods`]
const jobs = '/apis/batch/v1/namespaces/$NS-quota/jobs'

const sized = (name: string, requests: Fields, limits: Fields = {}, spec: Fields = {}): Fields =>
  pod(name, spec, { resources: { requests, limits } })
const quota = (name: string, hard: Fields, more: Fields = {}): Fields => ({ ...meta(name), spec: { hard, ...more } })
const again = (call: Call, until: string): Call => ({ ...call, until })
const job = (name: string): Fields => ({
  ...meta(name),
  spec: { suspend: true, template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'x:1' }] } } },
})

const badQuotas: readonly [string, Fields][] = [
  ['an unknown resource', quota('x', { foo: '1' })],
  ['a storage resource', quota('x', { storage: '1' })],
  ['a bad name', quota('x', { 'a b': '1' })],
  ['a negative amount', quota('x', { 'requests.cpu': '-1' })],
  ['half a pod', quota('x', { pods: '500m' })],
  ['a quantity that is none', quota('x', { pods: 'many' })],
  ['an unknown scope', quota('x', { pods: '1' }, { scopes: ['Foo'] })],
  ['a scope for secrets', quota('x', { secrets: '1' }, { scopes: ['Terminating'] })],
  ['scopes that conflict', quota('x', { pods: '1' }, { scopes: ['BestEffort', 'NotBestEffort'] })],
  [
    'a selector without values',
    quota(
      'x',
      { pods: '1' },
      { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In' }] } },
    ),
  ],
  [
    'a selector that only exists',
    quota(
      'x',
      { pods: '1' },
      { scopeSelector: { matchExpressions: [{ scopeName: 'Terminating', operator: 'In', values: ['a'] }] } },
    ),
  ],
  ['counts of other kinds', quota('x', { 'count/jobs.batch': '1', 'requests.example.com/gpu': '2' })],
  ['nothing', quota('x', {})],
]

const hard = {
  pods: '2',
  'requests.cpu': '1',
  'limits.memory': '1Gi',
  'count/pods': '9',
  secrets: '1',
  'count/secrets': '1',
  'count/jobs.batch': '1',
  services: '1',
  'services.nodeports': '1',
}

const counted: readonly Call[] = [
  post('quota: create', quotas, quota('q', hard)),
  again(get('quota: counts from the start', `${quotas}/q`), '"used"'),
  again(dry('quota: a pod without requests', pods, pod('a')), 'must specify'),
  again(
    dry('quota: init containers need requests, too', pods, {
      ...sized('a', { cpu: '1' }, {}, { initContainers: [{ name: 'first', image: 'x:1' }] }),
    }),
    'must specify',
  ),
  post('quota: a first pod', pods, sized('a', { cpu: '600m' }, { memory: '512Mi' })),
  again(get('quota: counts the first pod', `${quotas}/q`), '"pods":"1"'),
  dry('quota: too much of one resource', pods, sized('b', { cpu: '600m' }, { memory: '1Mi' })),
  dry('quota: too much of two', pods, sized('b', { cpu: '401m' }, { memory: '513Mi' })),
  dry('quota: the largest init container counts', pods, {
    ...sized(
      'b',
      { cpu: '100m' },
      { memory: '1Mi' },
      {
        initContainers: [
          { name: 'first', image: 'x:1', resources: { requests: { cpu: '500m' }, limits: { memory: '1Mi' } } },
        ],
      },
    ),
  }),
  dry('quota: a pod that is invalid', pods, pod('b', { restartPolicy: 'x' })),
  dry('quota: a dry run of what fits', pods, sized('b', { cpu: '400m' }, { memory: '512Mi' })),
  post('quota: a second pod', pods, sized('b', { cpu: '100m' }, { memory: '256Mi' })),
  again(get('quota: counts both', `${quotas}/q`), '"pods":"2"'),
  post('quota: a third pod', pods, sized('c', { cpu: '100m' }, { memory: '256Mi' })),
  post('quota: a pod that exists', pods, sized('a', { cpu: '100m' }, { memory: '256Mi' })),
  post('quota: a secret', `${inQuota}/secrets`, meta('s')),
  post('quota: one secret too many', `${inQuota}/secrets`, meta('s2')),
  post('quota: a job', jobs, job('j')),
  post('quota: one job too many', jobs, job('j2')),
  dry('quota: two node ports', `${inQuota}/services`, {
    ...meta('two'),
    spec: {
      type: 'NodePort',
      ports: [
        { name: 'a', port: 80 },
        { name: 'b', port: 81 },
      ],
    },
  }),
  again(get('quota: counts every kind', `${quotas}/q`), '"count/jobs.batch":"1"'),
]

const released: readonly Call[] = [
  patch('quota: a pod ends', `${pods}/b/status`, 'merge', { status: { phase: 'Succeeded' } }),
  again(get('quota: no longer counts the ended pod', `${quotas}/q`), '"pods":"1"'),
  del('quota: delete a pod', `${pods}/a`),
  again(
    get('quota: no longer counts the deleted pod', `${quotas}/q`),
    '"count/pods":"1","count/secrets":"1","limits.memory":"0"',
  ),
  del('quota: delete a secret', `${inQuota}/secrets/s`),
  again(get('quota: no longer counts the secret', `${quotas}/q`), '"secrets":"0"'),
  patch('quota: more pods', `${quotas}/q`, 'merge', { spec: { hard: { pods: '7' } } }),
  again(
    get('quota: has a new limit', `${quotas}/q`),
    '"pods":"7","requests.cpu":"1","secrets":"1","services":"1","services.nodeports":"1"},"used"',
  ),
  patch('quota: other scopes', `${quotas}/q`, 'merge', { spec: { scopes: ['Terminating'] } }),
  del('quota: delete', `${quotas}/q`),
  again(dry('quota: nothing is counted', pods, pod('a')), '"kind":"Pod"'),
]

const scoped: readonly Call[] = [
  post('quota: create for BestEffort', quotas, quota('lazy', { pods: '0' }, { scopes: ['BestEffort'] })),
  again(dry('quota: a pod of that class', pods, pod('a')), 'exceeded'),
  again(dry('quota: a pod of another class', pods, sized('a', { cpu: '1' })), '"kind":"Pod"'),
  del('quota: delete that of BestEffort', `${quotas}/lazy`),
  post('quota: create for Terminating', quotas, quota('ending', { pods: '0' }, { scopes: ['Terminating'] })),
  again(dry('quota: a pod with a deadline', pods, pod('a', { activeDeadlineSeconds: 9 })), 'exceeded'),
  again(dry('quota: a pod without a deadline', pods, pod('a')), '"kind":"Pod"'),
  del('quota: delete that of Terminating', `${quotas}/ending`),
  post(
    'quota: create for a priority',
    quotas,
    quota(
      'urgent',
      { pods: '0' },
      {
        scopeSelector: {
          matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['system-node-critical'] }],
        },
      },
    ),
  ),
  again(
    dry('quota: a pod of that priority', pods, pod('a', { priorityClassName: 'system-node-critical' })),
    'exceeded',
  ),
  again(dry('quota: a pod of another priority', pods, pod('a')), '"kind":"Pod"'),
]

const range = (name: string, ...limits: readonly Fields[]): Fields => ({ ...meta(name), spec: { limits } })
const badRanges: readonly [string, Fields][] = [
  ['an unknown type', range('x', { type: 'Foo', max: { cpu: '1' } })],
  ['a type twice', range('x', { type: 'Pod' }, { type: 'Pod' })],
  ['min above max', range('x', { type: 'Pod', min: { cpu: '2' }, max: { cpu: '1' } })],
  ['a default for pods', range('x', { type: 'Pod', default: { cpu: '2' }, defaultRequest: { cpu: '1' } })],
  [
    'a default request above the default',
    range('x', { type: 'Container', default: { cpu: '1' }, defaultRequest: { cpu: '2' } }),
  ],
  ['a default below min', range('x', { type: 'Container', min: { cpu: '2' }, default: { cpu: '1' } })],
  ['a default above max', range('x', { type: 'Container', max: { cpu: '1' }, default: { cpu: '2' } })],
  ['a ratio below 1', range('x', { type: 'Pod', maxLimitRequestRatio: { cpu: '500m' } })],
  [
    'a ratio that max and min exclude',
    range('x', { type: 'Pod', min: { cpu: '1' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '3' } }),
  ],
  ['a claim without storage', range('x', { type: 'PersistentVolumeClaim', max: { cpu: '1' } })],
  ['an unknown resource', range('x', { type: 'Container', max: { foo: '1' } })],
  ['no limits', range('x')],
]

const ranged: readonly Call[] = [
  post('limits: create', ranges, {
    ...range('containers', {
      type: 'Container',
      min: { cpu: '100m' },
      max: { cpu: '1' },
      default: { memory: '256Mi' },
      defaultRequest: { memory: '128Mi' },
    }),
  }),
  again(
    dry('limits: a pod without resources', limited, {
      ...pod('a', { initContainers: [{ name: 'first', image: 'x:1' }] }),
    }),
    'limit-ranger',
  ),
  dry('limits: a pod with its own requests', limited, sized('a', { cpu: '200m' }, { memory: '1Gi' })),
  dry('limits: above max', limited, sized('a', {}, { cpu: '2' })),
  dry('limits: below min', limited, sized('a', { cpu: '50m' })),
  dry('limits: below min and above max', limited, sized('a', { cpu: '50m' }, { cpu: '1500m' })),
  dry('limits: a default below the request', limited, sized('a', { memory: '512Mi' })),
  patch('limits: change', `${ranges}/containers`, 'merge', { metadata: { labels: { a: 'b' } } }),
  del('limits: delete', `${ranges}/containers`),
  post('limits: create for pods', ranges, {
    ...range('pods', {
      type: 'Pod',
      min: { cpu: '100m' },
      max: { memory: '512Mi' },
      maxLimitRequestRatio: { cpu: '2' },
    }),
  }),
  again(dry('limits: a pod without requests', limited, pod('a')), 'No request is specified'),
  dry('limits: the containers together are above max', limited, {
    ...sized(
      'a',
      { cpu: '100m' },
      { cpu: '200m', memory: '300Mi' },
      {
        containers: ['a', 'b'].map((name) => ({
          name,
          image: 'x:1',
          resources: { requests: { cpu: '100m' }, limits: { cpu: '200m', memory: '300Mi' } },
        })),
      },
    ),
  }),
  dry('limits: a ratio above max', limited, sized('a', { cpu: '100m' }, { cpu: '300m', memory: '256Mi' })),
  dry('limits: what fits', limited, sized('a', { cpu: '100m' }, { cpu: '200m', memory: '256Mi' })),
  del('limits: delete that of pods', `${ranges}/pods`),
  post('limits: create for claims', ranges, {
    ...range('claims', { type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '2Gi' } }),
  }),
  ...['3Gi', '500Mi'].map((storage) =>
    again(
      dry(`limits: a claim of ${storage}`, `${inLimits}/persistentvolumeclaims`, {
        ...meta('c'),
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
      }),
      'usage per PersistentVolumeClaim',
    ),
  ),
]

export const quotaCalls: readonly Call[] = [
  post('quota: its namespace', '/api/v1/namespaces', meta('$NS-quota')),
  post('limits: its namespace', '/api/v1/namespaces', meta('$NS-limits')),
  again(dry('quota: a pod before any quota', pods, pod('a')), '"kind":"Pod"'),
  again(dry('limits: a pod before any limits', limited, pod('a')), '"kind":"Pod"'),
  ...badQuotas.map(([title, body]) => dry(`quota: ${title}`, quotas, body)),
  ...counted,
  ...released,
  ...scoped,
  ...badRanges.map(([title, body]) => dry(`limits: ${title}`, ranges, body)),
  ...ranged,
  del('quota: delete its namespace', '/api/v1/namespaces/$NS-quota'),
  del('limits: delete its namespace', '/api/v1/namespaces/$NS-limits'),
]
