// S4: helm uninstall of an ARC set never ends, because the controller that removes the finalizers is gone.
import type { StoredObject } from '../../embedded/store/object.ts'
import { arcGroup, arcKinds, createArc, defineArc, ownerOf } from '../arc-model.ts'
import { dayflyNamespace, startDayfly } from '../dayfly.ts'
import { linesOf, lookLive, repairLines, repairLive } from '../doctor.ts'
import { createSet } from '../github-set.ts'
import { openGitHub } from '../github-world.ts'
import type { Bench, Incident } from '../incident.ts'
import { note } from '../seen.ts'
import type { World } from '../world.ts'

const minute = 60_000
const namespace = 'arc-runners'
const rbac = 'rbac.authorization.k8s.io'
const protection = `${arcGroup}/cleanup-protection`

export const stuckUninstall: Incident = {
  id: 'stuck-uninstall',
  code: 'S4',
  title: 'helm uninstall of an ARC set never ends, because the controller that removes its finalizers is gone',
  why: [
    'A deleted object with a finalizer stays until a controller removes the finalizer.',
    "ARC puts finalizers on its custom resources, and its chart puts one on the set's Role, RoleBinding, ServiceAccount and Secret. Only ARC's controller removes them.",
    'If the controller is uninstalled first, loses its rights or its credential, nothing removes them. The namespace and the definitions then stay, too.',
    'Dayfly puts no finalizer on any object. The garbage collector of Kubernetes ends an uninstall, with or without the controller.',
  ],
  models: [
    "ARC's controller is absent, as in the incident. Its objects, owners and finalizers are those of ARC 0.14.2 and its charts. The lab deletes them in helm's order.",
    'GitHub is the emulator of Dayfly. The doctor does not ask it here, and lists the records that may stay there.',
  ],
  sources: [
    'https://github.com/actions/actions-runner-controller/issues/3574',
    'https://github.com/actions/actions-runner-controller/issues/4093',
    'https://kubernetes.io/docs/concepts/overview/working-with-objects/finalizers/',
  ],
  look: `kubectl -n ${namespace} get autoscalingrunnersets,ephemeralrunners,roles,secrets`,
  run: async (bench) => {
    const clock = bench.clock()
    const forge = openGitHub(clock)
    const scripts = { runner: forge.runner }
    const world = bench.open({ clock, scripts, namespaces: [namespace] })
    await install(world)
    await uninstall(world)
    showStuck(bench, world)
    if (bench.keeps) {
      const kept = bench.open({ clock: bench.clock(), namespaces: [namespace], stays: true })
      await install(kept)
      await uninstall(kept)
    }
    await unlock(bench, world)
    const dayfly = await startDayfly(world, bench.dayfly, forge.emulator.transport)
    createSet(world, forge, { scale: { min: 2, max: 2 } })
    await world.clock.advance(2 * minute)
    await dayfly.stop()
    await removeDayfly(bench, world)
  },
}

/** The objects of the chart in helm's order of deletion, with the one that helm deletes of ARC's own kinds last. */
const ofChart: readonly (readonly [resource: string, apiVersion: string, kind: string, more: object])[] = [
  [`rolebindings.${rbac}`, `${rbac}/v1`, 'RoleBinding', { roleRef: { apiGroup: rbac, kind: 'Role', name: 'linux' } }],
  [`roles.${rbac}`, `${rbac}/v1`, 'Role', { rules: [] }],
  ['secrets', 'v1', 'Secret', { stringData: { github_token: 'redacted' } }],
  ['serviceaccounts', 'v1', 'ServiceAccount', {}],
]

/** Creates a set with an idle runner whose pod has ended, as ARC and its charts leave it. */
async function install(world: World): Promise<void> {
  await defineArc(world)
  const labels = { [`${arcGroup}/scale-set-name`]: 'linux', [`${arcGroup}/scale-set-namespace`]: namespace }
  for (const [resource, apiVersion, kind, more] of ofChart) {
    const metadata = { name: 'linux', namespace, labels, finalizers: [protection] }
    world.create(resource, { apiVersion, kind, metadata, ...more })
  }
  const held = (name: string, kind: string, more: object = {}) => {
    return { name, namespace, finalizers: [`${kind}.${arcGroup}/finalizer`], ...more }
  }
  const annotations = { 'runner-scale-set-id': '7' }
  const spec = { githubConfigUrl: 'https://github.com/acme' }
  const set = createArc(world, 'autoscalingrunnersets', held('linux', 'autoscalingrunnerset', { annotations }), {
    spec,
  })
  const ofSet = { autoscalingRunnerSetName: 'linux', autoscalingRunnerSetNamespace: namespace }
  createArc(world, 'autoscalinglisteners', held('linux-listener', 'autoscalinglistener'), { spec: ofSet })
  const owned = (owner: StoredObject) => ({ ownerReferences: [ownerOf(owner)] })
  const below = createArc(world, 'ephemeralrunnersets', held('linux-x7k2m', 'ephemeralrunner', owned(set)), {
    spec: {},
  })
  const registration = `ephemeralrunner.${arcGroup}/runner-registration-finalizer`
  const runner = held('linux-x7k2m-runner-1', 'ephemeralrunner', owned(below))
  const finalizers = [...runner.finalizers, registration]
  const status = { runnerId: 41, runnerName: runner.name }
  createArc(world, 'ephemeralrunners', { ...runner, finalizers }, { spec: {}, status })
  await world.clock.advance(minute)
}

async function uninstall(world: World): Promise<void> {
  const { registry } = world.cluster
  for (const [resource] of ofChart) registry.delete(resource, namespace, 'linux')
  registry.delete(`autoscalingrunnersets.${arcGroup}`, namespace, 'linux')
  registry.delete('namespaces', undefined, namespace)
  await world.clock.advance(60 * minute)
}

function showStuck(bench: Bench, world: World): void {
  const { registry } = world.cluster
  const left = heldObjects(world)
  note(bench.notebook, world, 'incident', {
    claim: 'An hour after helm uninstall, every object is terminating, and a finalizer holds it.',
    command: `kubectl -n ${namespace} get autoscalingrunnersets,ephemeralrunners,roles,… -o custom-columns=NAME:.metadata.name,DELETED:.metadata.deletionTimestamp,FINALIZERS:.metadata.finalizers`,
    output: left,
    holds: left.length === 8 && left.every((line) => line.includes(' terminating ')),
  })
  const status = JSON.stringify(registry.get('namespaces', undefined, namespace)?.['status'] ?? {})
  const [held = ''] = /Some content in the namespace has finalizers remaining[^"]*/.exec(status) ?? []
  note(bench.notebook, world, 'incident', {
    claim: 'The namespace cannot be deleted, and says which finalizers hold it.',
    command: `kubectl get namespace ${namespace} -o jsonpath='{.status.conditions[?(@.type=="NamespaceFinalizersRemaining")].message}'`,
    output: [held],
    holds: held.includes(protection),
  })
}

/** Returns the objects of the set with their finalizers. */
function heldObjects({ cluster: { registry } }: World): readonly string[] {
  const kinds = [
    ...ofChart.map(([resource]) => resource),
    ...Object.keys(arcKinds).map((kind) => `${kind}.${arcGroup}`),
  ]
  return kinds.flatMap((resource) =>
    registry
      .list(resource, namespace)
      .filter(({ metadata }) => metadata.finalizers !== undefined && metadata.finalizers.length > 0)
      .map(({ kind, metadata: { name, deletionTimestamp, finalizers = [] } }) => {
        const state = deletionTimestamp === undefined ? 'present' : 'terminating'
        return `${kind} ${name} ${state} [${finalizers.join(' ')}]`
      }),
  )
}

async function unlock(bench: Bench, world: World): Promise<void> {
  const look = await lookLive(world)
  const found = linesOf(look, namespace).filter((line) => line.startsWith('FIN502'))
  const repaired = await repairLive(world, look, { restoreDeclined: true })
  await world.clock.advance(minute)
  const { steps } = repaired.plan
  const isSingle = steps.every(({ action }) => action.do === 'remove-finalizer')
  note(bench.notebook, world, 'remedy', {
    claim:
      'The doctor removes one finalizer after the other, from below, and each only while no controller of ARC runs.',
    command: `dayfly doctor --live -n ${namespace} --fix --remove-finalizers --confirm DIGEST`,
    output: [...found, ...repairLines(repaired)],
    holds:
      found.length > 0 && steps.length === 9 && isSingle && repaired.entries.every(({ outcome }) => outcome === 'done'),
  })
  const left = heldObjects(world)
  const isGone = world.cluster.registry.get('namespaces', undefined, namespace) === undefined
  note(bench.notebook, world, 'remedy', {
    claim: 'The uninstall ends: nothing is left, and the namespace is gone.',
    command: `kubectl get namespace ${namespace}`,
    output: [...left, ...(isGone ? [`Error from server (NotFound): namespaces "${namespace}" not found`] : [])],
    holds: left.length === 0 && isGone,
  })
}

/** Deletes the set of Dayfly while no controller runs. */
async function removeDayfly(bench: Bench, world: World): Promise<void> {
  const { registry } = world.cluster
  const count = () => registry.list('pods', dayflyNamespace).length
  const before = count()
  registry.delete('runnersets.dayfly.dev', dayflyNamespace, 'builds')
  await world.clock.advance(minute)
  const secrets = registry.list('secrets', dayflyNamespace).filter(({ metadata }) => metadata.name !== 'github').length
  const left = [`${count()} pods, ${secrets} Secrets of runners, ${registry.list('runnersets.dayfly.dev').length} sets`]
  note(bench.notebook, world, 'remedy', {
    claim: `A RunnerSet with ${before} runners is deleted while no controller runs: after a minute nothing is left in the cluster.`,
    command: `kubectl -n ${dayflyNamespace} delete runnerset builds; kubectl -n ${dayflyNamespace} get pods,secrets,runnersets`,
    output: left,
    holds: before === 2 && count() === 0 && secrets === 0 && registry.list('runnersets.dayfly.dev').length === 0,
  })
}
