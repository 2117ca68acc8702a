// PriorityClasses, RuntimeClasses, HorizontalPodAutoscalers, evictions, and reviews of tokens and of access.
import { type Call, del, dry, get, namespaced, patch, pod, post } from './call.fixture.ts'

type Fields = Readonly<Record<string, unknown>>

const priorities = '/apis/scheduling.k8s.io/v1/priorityclasses'
const runtimes = '/apis/node.k8s.io/v1/runtimeclasses'
const autoscalers = '/apis/autoscaling/v2/namespaces/$NS/horizontalpodautoscalers'
const budgets = '/apis/policy/v1/namespaces/$NS/poddisruptionbudgets'
const pods = `${namespaced}/pods`
const meta = (name: string): Fields => ({ metadata: { name } })
const again = (call: Call, until: string): Call => ({ ...call, until })

const priority: readonly Call[] = [
  get('priority: a class of the system', `${priorities}/system-node-critical`),
  dry('priority: too high', priorities, { ...meta('recorded-x'), value: 1_000_000_001 }),
  dry('priority: a name of the system', priorities, { ...meta('system-x'), value: 1 }),
  dry('priority: an unknown policy', priorities, { ...meta('recorded-x'), value: 1, preemptionPolicy: 'Maybe' }),
  post('priority: create', priorities, {
    ...{ ...meta('recorded-high'), value: 1000, preemptionPolicy: 'Never', description: 'high' },
  }),
  again(dry('priority: a pod of the class', pods, pod('c', { priorityClassName: 'recorded-high' })), '"priority":1000'),
  dry('priority: a pod with another number', pods, pod('c', { priorityClassName: 'recorded-high', priority: 7 })),
  dry('priority: a pod with another policy', pods, {
    ...pod('c', { priorityClassName: 'recorded-high', preemptionPolicy: 'PreemptLowerPriority' }),
  }),
  dry('priority: a pod of no class', pods, pod('c', { priorityClassName: 'recorded-ghost' })),
  patch('priority: another value', `${priorities}/recorded-high`, 'merge', { value: 7 }),
  patch('priority: another policy', `${priorities}/recorded-high`, 'merge', {
    preemptionPolicy: 'PreemptLowerPriority',
  }),
  patch('priority: another description', `${priorities}/recorded-high`, 'merge', { description: 'higher' }),
  post('priority: create the default', priorities, { ...meta('recorded-default'), value: 5, globalDefault: true }),
  again(dry('priority: a pod without a class', pods, pod('c')), '"priority":5'),
  dry('priority: a second default', priorities, { ...meta('recorded-x'), value: 6, globalDefault: true }),
  patch('priority: the default again', `${priorities}/recorded-default`, 'merge', { description: 'x' }),
  del('priority: delete the default', `${priorities}/recorded-default`),
  again(dry('priority: a pod without a default', pods, pod('c')), '"priority":0'),
  del('priority: delete', `${priorities}/recorded-high`),
  again(dry('priority: a pod of a deleted class', pods, pod('c', { priorityClassName: 'recorded-high' })), 'Forbidden'),
]

const runtime: readonly Call[] = [
  dry('runtime: no handler', runtimes, meta('recorded-x')),
  dry('runtime: a bad handler', runtimes, { ...meta('recorded-x'), handler: 'A b' }),
  dry('runtime: bad scheduling', runtimes, {
    ...{ ...meta('recorded-x'), handler: 'a', scheduling: { nodeSelector: { 'a b': 'c' } } },
  }),
  dry('runtime: bad overhead', runtimes, {
    ...{ ...meta('recorded-x'), handler: 'a', overhead: { podFixed: { foo: '1' } } },
  }),
  post('runtime: create', runtimes, {
    ...{ ...meta('recorded-runtime'), handler: 'runc', overhead: { podFixed: { cpu: '100m' } } },
    scheduling: { nodeSelector: { runtime: 'own' }, tolerations: [{ key: 'runtime', operator: 'Exists' }] },
  }),
  again(
    dry('runtime: a pod of the class', pods, {
      ...pod('c', { runtimeClassName: 'recorded-runtime', nodeSelector: { a: 'b' } }),
    }),
    '"overhead"',
  ),
  dry('runtime: a pod for other nodes', pods, {
    ...pod('c', { runtimeClassName: 'recorded-runtime', nodeSelector: { runtime: 'other' } }),
  }),
  dry('runtime: a pod with another overhead', pods, {
    ...pod('c', { runtimeClassName: 'recorded-runtime', overhead: { cpu: '2' } }),
  }),
  dry('runtime: a pod with overhead and no class', pods, pod('c', { overhead: { cpu: '2' } })),
  dry('runtime: a pod of no class', pods, pod('c', { runtimeClassName: 'recorded-ghost' })),
  patch('runtime: another handler', `${runtimes}/recorded-runtime`, 'merge', { handler: 'other' }),
  del('runtime: delete', `${runtimes}/recorded-runtime`),
]

const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
const autoscaler: readonly Call[] = [
  dry('autoscaler: minimal', autoscalers, { ...meta('h'), spec: { scaleTargetRef, maxReplicas: 3 } }),
  dry('autoscaler: no maximum', autoscalers, { ...meta('h'), spec: { scaleTargetRef } }),
  dry('autoscaler: more than the maximum', autoscalers, {
    ...{ ...meta('h'), spec: { scaleTargetRef, minReplicas: 4, maxReplicas: 3 } },
  }),
  dry('autoscaler: no target', autoscalers, {
    ...{ ...meta('h'), spec: { scaleTargetRef: { kind: '', name: '' }, maxReplicas: 3 } },
  }),
]

const evict = (title: string, name: string, body: Fields = meta(name), query: Record<string, string> = {}): Call =>
  post(`evict: ${title}`, `${pods}/${name}/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', ...body }, query)
const budget = (name: string): Fields => ({
  ...meta(name),
  spec: { minAvailable: 1, selector: { matchLabels: { evict: 'me' } } },
})
const evictions: readonly Call[] = [
  evict('a ghost', 'ghost'),
  post('evict: a pending pod', pods, pod('pending')),
  evict('another name', 'pending', meta('other')),
  evict('another uid', 'pending', { ...meta('pending'), deleteOptions: { preconditions: { uid: 'x' } } }),
  evict('dry', 'pending', meta('pending'), { dryRun: 'All' }),
  get('evict: still there', `${pods}/pending`),
  evict('pending', 'pending'),
  get('evict: gone', `${pods}/pending`),
  post('evict: a running pod', pods, pod('running', {}, {}, { labels: { evict: 'me' }, finalizers: ['a.dev/b'] })),
  patch('evict: it runs', `${pods}/running/status`, 'merge', { status: { phase: 'Running' } }),
  post('evict: a budget', budgets, budget('one')),
  again(evict('against the budget', 'running'), 'healthy pods'),
  post('evict: a second budget', budgets, budget('two')),
  again(evict('against two budgets', 'running'), 'more than one'),
  del('evict: delete a budget', `${budgets}/one`),
  del('evict: delete the other', `${budgets}/two`),
  evict('running', 'running'),
  get('evict: the condition of the evicted', `${pods}/running`),
  patch('evict: let go', `${pods}/running`, 'json', [{ op: 'remove', path: '/metadata/finalizers' }]),
]

const access = { resourceAttributes: { verb: 'get', resource: 'pods', namespace: '$NS' } }
const authentication = '/apis/authentication.k8s.io/v1'
const authorization = '/apis/authorization.k8s.io/v1'
const reviews: readonly Call[] = [
  post('review: no token', `${authentication}/tokenreviews`, { spec: {} }),
  post('review: an unknown token', `${authentication}/tokenreviews`, { spec: { token: 'unknown' } }),
  get('review: no list of reviews', `${authentication}/tokenreviews`),
  post('review: access of nobody', `${authorization}/subjectaccessreviews`, { spec: { user: 'nobody', ...access } }),
  post('review: access of a master', `${authorization}/subjectaccessreviews`, {
    spec: { user: 'a', groups: ['system:masters'], ...access },
  }),
  post('review: access of no user', `${authorization}/subjectaccessreviews`, { spec: access }),
  post('review: access to nothing', `${authorization}/subjectaccessreviews`, { spec: { user: 'a' } }),
  post('review: local access', `${authorization}/namespaces/$NS/localsubjectaccessreviews`, {
    ...{ metadata: { namespace: '$NS' }, spec: { user: 'nobody', ...access } },
  }),
  post('review: local access elsewhere', `${authorization}/namespaces/$NS/localsubjectaccessreviews`, {
    spec: { user: 'nobody', resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'other' } },
  }),
]

export const classCalls: readonly Call[] = [...priority, ...runtime, ...autoscaler, ...evictions, ...reviews]
