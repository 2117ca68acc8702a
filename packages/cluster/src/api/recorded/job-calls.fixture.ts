// Jobs, and the kinds that are only stored. The Jobs have a foreign managedBy, so that no controller changes them.
import { type Call, del, dry, get, patch, post, put } from './call.fixture.ts'

const jobs = '/apis/batch/v1/namespaces/$NS/jobs'
const container = { name: 'main', image: 'busybox:1' }
const template = { spec: { restartPolicy: 'Never', containers: [container] } }

function job(name: string, spec: object = {}, pod: object = {}): object {
  const managedBy = 'example.com/nobody'
  return { metadata: { name }, spec: { managedBy, template: { spec: { ...template.spec, ...pod } }, ...spec } }
}

const rule = (parts: object): object => ({ podFailurePolicy: { rules: [{ action: 'Count', ...parts }] } })
const onExitCodes = (parts: object): object => rule({ onExitCodes: { operator: 'In', values: [1], ...parts } })

const refusals: Readonly<Record<string, object>> = {
  'numbers below zero': {
    parallelism: -1,
    completions: -1,
    activeDeadlineSeconds: -1,
    backoffLimit: -1,
    ttlSecondsAfterFinished: -1,
  },
  'an unknown completion mode': { completionMode: 'Other' },
  'a back-off limit per index': { backoffLimitPerIndex: 1 },
  'a success policy': { successPolicy: { rules: [{ succeededCount: 1 }] } },
  'an unknown replacement policy': { podReplacementPolicy: 'Never' },
  'the replacement policy with a failure policy': { podReplacementPolicy: 'TerminatingOrFailed', ...onExitCodes({}) },
  'a rule without a condition': rule({}),
  'a rule with both': rule({ onExitCodes: { operator: 'In', values: [1] }, onPodConditions: [{ type: 'X' }] }),
  'a rule without an action': { podFailurePolicy: { rules: [{ onPodConditions: [{ type: 'X' }] }] } },
  'a rule with an unknown action': {
    podFailurePolicy: { rules: [{ action: 'No', onPodConditions: [{ type: 'X' }] }] },
  },
  'a rule for an index': rule({ action: 'FailIndex', onPodConditions: [{ type: 'X' }] }),
  'a rule with a bad condition': rule({ onPodConditions: [{ type: 'a b', status: 'Maybe' }] }),
  'exit codes: none': onExitCodes({ values: [] }),
  'exit codes: left out': rule({ onExitCodes: { operator: 'In' } }),
  'exit codes: success': onExitCodes({ values: [0] }),
  'exit codes: twice, out of order': onExitCodes({ values: [3, 1, 3] }),
  'exit codes: unknown operator': onExitCodes({ operator: 'Is' }),
  'exit codes: no operator': onExitCodes({ operator: '' }),
  'exit codes: another container': onExitCodes({ containerName: 'other' }),
  'a selector of its own': { selector: { matchLabels: { a: 'b' } } },
  'its own selector, not given': { manualSelector: true },
  'its own selector, another label': { manualSelector: true, selector: { matchLabels: { a: 'b' } } },
  'a foreign label': { template: { ...template, metadata: { labels: { 'job-name': 'other' } } } },
  'a bad label': { template: { ...template, metadata: { labels: { 'a b': 'c' } } } },
  'no template': { template: undefined },
}

const pods: Readonly<Record<string, object>> = {
  'restartPolicy Always': { restartPolicy: 'Always' },
  'restartPolicy unknown': { restartPolicy: 'Sometimes' },
  'no restartPolicy': { restartPolicy: undefined },
  'no containers': { containers: [] },
  'a probe on an init container': {
    initContainers: [{ ...container, name: 'i', startupProbe: { exec: { command: ['a'] } } }],
  },
}

const failing = job('jf', onExitCodes({}), { restartPolicy: 'OnFailure' })
const stamp = '2026-01-01T00:00:00Z'
const condition = (type: string): object => ({ type, status: 'True', lastProbeTime: stamp, lastTransitionTime: stamp })
const statuses: Readonly<Record<string, object>> = {
  'more ready than active': { active: 1, ready: 2 },
  'below zero': { active: -1, failed: -1 },
  'complete without a reason': { startTime: stamp, completionTime: stamp, conditions: [condition('Complete')] },
  'failed without a target': { startTime: stamp, conditions: [condition('Failed')] },
  'failed while pods end': { startTime: stamp, terminating: 1, conditions: ['FailureTarget', 'Failed'].map(condition) },
  'failed, not counted': {
    startTime: stamp,
    uncountedTerminatedPods: { failed: ['a'] },
    conditions: ['FailureTarget', 'Failed'].map(condition),
  },
  'both targets': { conditions: ['FailureTarget', 'SuccessCriteriaMet'].map(condition) },
}

const lives: readonly Call[] = [
  post(
    'job: create',
    jobs,
    job('j', { ttlSecondsAfterFinished: 5 }, { containers: [{ ...container, resources: { limits: { cpu: '1' } } }] }),
  ),
  get('job: as it is read', `${jobs}/j`),
  put('job: nothing changed', `${jobs}/j`, []),
  patch('job: parallelism and times', `${jobs}/j`, 'merge', { spec: { parallelism: 2, activeDeadlineSeconds: 9 } }),
  patch('job: completions', `${jobs}/j`, 'merge', { spec: { completions: 2 } }),
  patch('job: managed by another', `${jobs}/j`, 'merge', { spec: { managedBy: 'example.com/other' } }),
  patch('job: replacement', `${jobs}/j`, 'merge', { spec: { podReplacementPolicy: 'Failed' } }),
  ...Object.entries(statuses).map(([title, status]) =>
    patch(`job: status: ${title}`, `${jobs}/j/status`, 'merge', { status }),
  ),
  patch('job: status', `${jobs}/j/status`, 'merge', {
    status: { active: 1, ready: 1, failed: 2, startTime: stamp, uncountedTerminatedPods: { succeeded: ['a'] } },
  }),
  patch('job: status: less than before', `${jobs}/j/status`, 'merge', { status: { failed: 1 } }),
  get('job: by success', jobs, { fieldSelector: 'status.successful=0' }),
  // The answers after this call depend on the speed of the garbage collector.
  del('job: delete, nothing said', `${jobs}/j`),
]

const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/$NS'
const stored: readonly Call[] = [
  post('role: create', `${rbac}/roles`, { metadata: { name: 'system:a', finalizers: ['x/y'] } }),
  dry('role: a bad name', `${rbac}/roles`, { metadata: { name: 'a%b' } }),
  del('role: delete', `${rbac}/roles/system:a`),
  patch('role: let go', `${rbac}/roles/system:a`, 'json', [{ op: 'remove', path: '/metadata/finalizers' }]),
  get('role: gone', `${rbac}/roles/system:a`),
]

export const jobCalls: readonly Call[] = [
  ...Object.entries(refusals).map(([title, spec]) => dry(`job: refused: ${title}`, jobs, job('jr', spec))),
  ...Object.entries(pods).map(([title, pod]) => dry(`job: refused: ${title}`, jobs, job('jr', {}, pod))),
  dry('job: refused: a failure policy with restarts', jobs, failing),
  ...lives,
  ...stored,
]
