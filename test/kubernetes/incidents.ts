// Creates every live incident as objects of any API server: pods on a node without a kubelet, ARC's objects, and a stuck uninstall.
import type { Clock } from '@dayfly/kit/clock'
import { fieldsAt } from '@dayfly/kit/read-json'
import { timestamp } from '@dayfly/kit/timestamp'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import type { KubeObject, Resource } from '@dayfly/kubernetes/types'
import { namespaces, object, pods } from './client-place.ts'

const core = { group: '', version: 'v1', namespaced: true }
const batch = { group: 'batch', version: 'v1', namespaced: true }
const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: true }
const arc = (plural: string, kind: string): Resource => ({
  group: 'actions.github.com',
  version: 'v1alpha1',
  plural,
  kind,
  namespaced: true,
})
const nodes: Resource = { ...core, plural: 'nodes', kind: 'Node', namespaced: false }
const accounts: Resource = { ...core, plural: 'serviceaccounts', kind: 'ServiceAccount' }
const jobs: Resource = { ...batch, plural: 'jobs', kind: 'Job' }
const budgets: Resource = { ...core, group: 'policy', plural: 'poddisruptionbudgets', kind: 'PodDisruptionBudget' }
const secrets: Resource = { ...core, plural: 'secrets', kind: 'Secret' }
const roles: Resource = { ...rbac, plural: 'roles', kind: 'Role' }
const roleBindings: Resource = { ...rbac, plural: 'rolebindings', kind: 'RoleBinding' }
export const ephemeralRunners = arc('ephemeralrunners', 'EphemeralRunner')
export const ephemeralRunnerSets = arc('ephemeralrunnersets', 'EphemeralRunnerSet')
export const scaleSets = arc('autoscalingrunnersets', 'AutoscalingRunnerSet')
const listeners = arc('autoscalinglisteners', 'AutoscalingListener')

type Site = {
  readonly kubernetes: Kubernetes
  /** The name of cluster-scoped objects and the prefix of the namespaces' names. */
  readonly name: string
  /** Returns the API server's time in milliseconds since 1970. */
  readonly now: () => number
}

type Incidents = { remove(): Promise<void> }

/** Creates the same objects on every API server, so that tests can compare the doctor's findings. */
export async function makeIncidents(site: Site): Promise<Incidents> {
  const places = { runners: `${site.name}-runners`, arc: `${site.name}-arc`, uninstall: `${site.name}-uninstall` }
  const { kubernetes, name } = site
  await kubernetes.create(nodes, object('v1', 'Node', { name }))
  await kubernetes.patch(nodes, { name }, ready, { subresource: 'status' })
  for (const namespace of Object.values(places)) {
    await kubernetes.create(namespaces, object('v1', 'Namespace', { name: namespace }))
    // Pods need a ServiceAccount. On a real cluster a controller creates it, but only after a while.
    await kubernetes.create(accounts, object('v1', 'ServiceAccount', { namespace, name: 'default' })).catch(ifThere)
  }
  await makeRunners(site, places.runners)
  await makeArc(site, places.arc)
  await installArc(site, places.uninstall)
  const remove = async () => {
    for (const namespace of Object.values(places)) await clear(kubernetes, namespace)
    for (const namespace of Object.values(places)) await kubernetes.delete(namespaces, { name: namespace })
    await kubernetes.delete(nodes, { name })
  }
  return { remove }
}

function ifThere(error: unknown): void {
  if (!(error instanceof KubernetesError) || error.kind !== 'already-exists') throw error
}

const ready = {
  type: 'merge',
  body: { status: { conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }] } },
} as const

async function makeRunners(site: Site, namespace: string): Promise<void> {
  const { kubernetes } = site
  await makePod(site, { namespace, name: 'zombie' }, { runner: ended(site), docker: running(site) })
  await makePod(site, { namespace, name: 'busy' }, { runner: running(site), docker: running(site) })
  await makePod(site, { namespace, name: 'stuck' }, { runner: running(site), docker: running(site) })
  await kubernetes.delete(pods, { namespace, name: 'stuck' }, { gracePeriodSeconds: 1 })
  const refused = { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } }
  await makePod(site, { namespace, name: 'creating' }, { runner: refused, docker: refused, phase: 'Pending' })
  const labels = { 'batch.kubernetes.io/job-name': 'gone' }
  const over = { runner: ended(site), docker: ended(site), phase: 'Succeeded' }
  await makePod(site, { namespace, name: 'orphan', labels }, over)
  const job = await makeJob(site, namespace)
  const owned = { ownerReferences: [ownerOf(job)], labels: fieldsAt(job, 'spec', 'selector', 'matchLabels') ?? {} }
  await makePod(site, { namespace, name: 'of-job', ...owned }, { runner: ended(site), docker: running(site) })
  const selector = { matchLabels: { 'actions.github.com/scale-set-name': 'linux' } }
  const budget = object('policy/v1', 'PodDisruptionBudget', { namespace, name: 'runners' }, { spec: { selector } })
  await kubernetes.create(budgets, budget)
}

/** Creates a Job that the Job controller does not manage, so that it has only the pods of this file. */
async function makeJob({ kubernetes }: Site, namespace: string): Promise<KubeObject> {
  const containers = runnerContainers()
  const spec = {
    managedBy: 'dayfly.dev/tests',
    backoffLimit: 0,
    ttlSecondsAfterFinished: 600,
    activeDeadlineSeconds: 7200,
    template: { spec: { restartPolicy: 'Never', containers } },
  }
  return (await kubernetes.create(jobs, object('batch/v1', 'Job', { namespace, name: 'build' }, { spec }))).object
}

/** Creates a set of two failed runners, which use up its maximum, and a set with a runner without a pod. */
async function makeArc({ kubernetes }: Site, namespace: string): Promise<void> {
  const make = async (resource: Resource, name: string, more: object = {}, metadata: object = {}) => {
    const { group, version, kind } = resource
    return (
      await kubernetes.create(resource, object(`${group}/${version}`, kind, { namespace, name, ...metadata }, more))
    ).object
  }
  for (const [set, states] of Object.entries({ full: ['Failed', 'Failed'], lost: ['Running'] })) {
    const root = await make(scaleSets, set, { spec: { maxRunners: 2, template: { spec: { containers: [] } } } })
    const below = await make(ephemeralRunnerSets, `${set}-set`, { spec: {} }, { ownerReferences: [ownerOf(root)] })
    for (const [index, phase] of states.entries()) {
      const status = { phase, ...(phase === 'Failed' ? { reason: 'TooManyPodFailures', message: 'no' } : {}) }
      const runner = { spec: {}, status }
      await make(ephemeralRunners, `${set}-${index}`, runner, { ownerReferences: [ownerOf(below)] })
    }
  }
}

const protection = 'actions.github.com/cleanup-protection'

/** Creates the objects of ARC 0.14.2 and its chart and deletes them. No controller runs, so nothing removes their finalizers. */
async function installArc(site: Site, namespace: string): Promise<void> {
  const { kubernetes } = site
  const labels = { 'actions.github.com/scale-set-name': 'linux', 'actions.github.com/scale-set-namespace': namespace }
  const make = async (
    resource: Resource,
    metadata: { readonly name: string; readonly [field: string]: unknown },
    more: object = {},
  ) => {
    const { group, version, kind } = resource
    const apiVersion = group === '' ? version : `${group}/${version}`
    return (await kubernetes.create(resource, object(apiVersion, kind, { namespace, ...metadata }, more))).object
  }
  const finalizers = (kind: string) => [`${kind}.actions.github.com/finalizer`]
  const spec = { githubConfigUrl: 'https://github.example/acme' }
  const annotations = { 'runner-scale-set-id': '7', 'actions.github.com/cleanup-github-secret-name': 'github' }
  const set = await make(
    scaleSets,
    { name: 'linux', annotations, finalizers: finalizers('autoscalingrunnerset') },
    { spec },
  )
  const listener = { autoscalingRunnerSetName: 'linux', autoscalingRunnerSetNamespace: namespace }
  await make(listeners, { name: 'linux-listener', finalizers: finalizers('autoscalinglistener') }, { spec: listener })
  const below = await make(ephemeralRunnerSets, {
    name: 'linux-set',
    finalizers: finalizers('ephemeralrunnerset'),
    ownerReferences: [ownerOf(set)],
  })
  for (const [index, name] of ['linux-r1', 'linux-r2'].entries()) {
    const metadata = {
      name,
      finalizers: [
        ...finalizers('ephemeralrunner'),
        'ephemeralrunner.actions.github.com/runner-registration-finalizer',
      ],
      ownerReferences: [ownerOf(below)],
    }
    const runner = await make(ephemeralRunners, metadata, { spec, status: { runnerId: 40 + index, runnerName: name } })
    const pod = { namespace, name, ownerReferences: [ownerOf(runner)] }
    await makePod(site, pod, { runner: ended(site), docker: ended(site), phase: 'Succeeded' })
  }
  const guarded = { labels, finalizers: [protection] }
  const roleRef = { apiGroup: rbac.group, kind: 'Role', name: 'manager' }
  await make(roleBindings, { ...guarded, name: 'manager' }, { roleRef, subjects: [] })
  await make(roles, { ...guarded, name: 'manager' }, { rules: [] })
  await make(accounts, { ...guarded, name: 'no-permission' })
  await make(secrets, { ...guarded, name: 'github' }, { stringData: { token: 'secret' } })
  for (const [resource, name] of uninstalled) await kubernetes.delete(resource, { namespace, name })
}

const uninstalled: readonly (readonly [Resource, string])[] = [
  [scaleSets, 'linux'],
  [listeners, 'linux-listener'],
  [roleBindings, 'manager'],
  [roles, 'manager'],
  [accounts, 'no-permission'],
  [secrets, 'github'],
]

type Metadata = { readonly namespace: string; readonly name: string; readonly [field: string]: unknown }
type Look = { readonly runner: object; readonly docker: object; readonly phase?: string }

function runnerContainers() {
  const env = [{ name: 'ACTIONS_RUNNER_INPUT_JITCONFIG', value: 'x' }]
  return [
    { name: 'runner', image: 'ghcr.io/actions/actions-runner:2', env },
    { name: 'docker', image: 'docker:dind', securityContext: { privileged: true } },
  ]
}

/** Creates a pod on the node without a kubelet, with the status that a kubelet would write. */
async function makePod(site: Site, metadata: Metadata, { runner, docker, phase = 'Running' }: Look): Promise<void> {
  const { kubernetes, name: nodeName } = site
  const spec = { restartPolicy: 'Never', nodeName, containers: runnerContainers(), terminationGracePeriodSeconds: 3600 }
  await kubernetes.create(pods, object('v1', 'Pod', metadata, { spec }))
  const of = (name: string, state: object) => ({
    name,
    state,
    ready: 'running' in state,
    restartCount: 0,
    image: 'x',
    imageID: '',
  })
  const conditions = [{ type: 'PodScheduled', status: 'True', lastTransitionTime: timeOf(site.now() - 1_200_000) }]
  const status = { phase, conditions, containerStatuses: [of('runner', runner), of('docker', docker)] }
  const { namespace, name } = metadata
  await kubernetes.patch(pods, { namespace, name }, { type: 'merge', body: { status } }, { subresource: 'status' })
}

function ended({ now }: Site): object {
  const at = timeOf(now() - 1_200_000)
  return { terminated: { exitCode: 0, reason: 'Completed', startedAt: at, finishedAt: at } }
}

function running({ now }: Site): object {
  return { running: { startedAt: timeOf(now() - 1_200_000) } }
}

function timeOf(at: number): string {
  return timestamp(at)
}

export function ownerOf({ apiVersion, kind, metadata }: KubeObject) {
  const { name, uid } = metadata
  return { apiVersion, kind, name, uid: uid ?? '', controller: true, blockOwnerDeletion: true }
}

/**
 * Confirms the ends of pods as their kubelet would, until the returned function is called. The pod `stuck` keeps waiting for its node.
 * Without it, no deleted pod of this file is ever gone.
 */
export function confirmEnds({ kubernetes, clock }: { kubernetes: Kubernetes; clock: Clock }, names: readonly string[]) {
  const over = new AbortController()
  const confirm = async (namespace: string) => {
    const { items } = await kubernetes.list(pods, { namespace })
    for (const { metadata } of items) {
      if (metadata.deletionTimestamp === undefined || metadata.name === 'stuck') continue
      await kubernetes.delete(pods, { namespace, name: metadata.name }, { gracePeriodSeconds: 0 })
    }
  }
  const work = async () => {
    while (!over.signal.aborted) {
      for (const name of names) await confirm(`${name}-runners`)
      await clock.sleep(500, over.signal).catch(() => undefined)
    }
  }
  const done = work()
  return async () => {
    over.abort()
    await done
  }
}

/** Returns the objects in a namespace that have finalizers. */
export async function heldIn(
  kubernetes: Kubernetes,
  namespace: string,
): Promise<readonly { readonly resource: Resource; readonly name: string }[]> {
  const holders = [ephemeralRunners, ephemeralRunnerSets, listeners, scaleSets, roleBindings, roles, accounts, secrets]
  const lists = holders.map(async (resource) => {
    const { items } = await kubernetes.list(resource, { namespace })
    return items.flatMap(({ metadata: { name, finalizers } }) => (finalizers?.length ? [{ resource, name }] : []))
  })
  return (await Promise.all(lists)).flat()
}

/** Removes the finalizers and pods that a test has left, so that the namespace can be deleted. */
async function clear(kubernetes: Kubernetes, namespace: string): Promise<void> {
  for (const { resource, name } of await heldIn(kubernetes, namespace)) {
    const free = { type: 'merge', body: { metadata: { finalizers: null } } } as const
    await kubernetes.patch(resource, { namespace, name }, free).catch(() => undefined)
  }
  const { items } = await kubernetes.list(pods, { namespace })
  for (const { metadata } of items) {
    await kubernetes.delete(pods, { namespace, name: metadata.name }, { gracePeriodSeconds: 0 })
  }
}
