// S4: helm uninstall of an ARC set never ends, because the controller that removes the finalizers is gone.
import { pods, runnerSets, secrets } from '@dayfly/controller/resources'
import type { KubeObject, Resource } from '@dayfly/kubernetes/types'
import { type ArcKind, arcGroup, arcKind, arcKinds, createArc, defineArc, ownerOf } from '../arc-model.ts'
import { dayflyNamespace, startDayfly } from '../dayfly.ts'
import { linesOf, lookLive, repairLines, repairLive } from '../doctor.ts'
import { createSet } from '../github-set.ts'
import { openGitHub } from '../github-world.ts'
import type { Bench, Incident } from '../incident.ts'
import { accounts, create, find, listIn, namespaces, roleBindings, roles } from '../objects.ts'
import { note } from '../seen.ts'
import type { World } from '../world.ts'

const minute = 60_000
const namespace = 'arc-runners'
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
    const { clock, open } = bench.begin()
    const forge = openGitHub(clock)
    const world = await open({ scripts: { runner: forge.runner }, namespaces: [namespace] })
    await install(world)
    await uninstall(world)
    await showStuck(bench, world)
    if (bench.keeps) {
      const kept = await bench.begin().open({ namespaces: [namespace], stays: true })
      await install(kept)
      await uninstall(kept)
    }
    await unlock(bench, world)
    const dayfly = await startDayfly(world, bench.dayfly, forge.emulator.transport)
    await createSet(world, forge, { scale: { min: 2, max: 2 } })
    await world.pass(
      2 * minute,
      () => forge.emulator.control.registrations().filter(({ online }) => online).length === 2,
    )
    await dayfly.stop()
    await removeDayfly(bench, world)
  },
}

/** The objects of the chart in helm's order of deletion, with the one that helm deletes of ARC's own kinds last. */
const ofChart: readonly (readonly [resource: Resource, more: object])[] = [
  [roleBindings, { roleRef: { apiGroup: roles.group, kind: roles.kind, name: 'linux' } }],
  [roles, { rules: [] }],
  [secrets, { stringData: { github_token: 'redacted' } }],
  [accounts, {}],
]

/** Creates a set with an idle runner whose pod has ended, as ARC and its charts leave it. */
async function install(world: World): Promise<void> {
  await defineArc(world)
  const labels = { [`${arcGroup}/scale-set-name`]: 'linux', [`${arcGroup}/scale-set-namespace`]: namespace }
  for (const [resource, more] of ofChart) {
    await create(world, resource, { metadata: { name: 'linux', namespace, labels, finalizers: [protection] }, ...more })
  }
  const held = (name: string, kind: string, more: object = {}) => {
    return { name, namespace, finalizers: [`${kind}.${arcGroup}/finalizer`], ...more }
  }
  const annotations = { 'runner-scale-set-id': '7' }
  const spec = { githubConfigUrl: 'https://github.com/acme' }
  const linux = held('linux', 'autoscalingrunnerset', { annotations })
  const set = await createArc(world, 'autoscalingrunnersets', linux, { spec })
  const ofSet = { autoscalingRunnerSetName: 'linux', autoscalingRunnerSetNamespace: namespace }
  await createArc(world, 'autoscalinglisteners', held('linux-listener', 'autoscalinglistener'), { spec: ofSet })
  const owned = (owner: KubeObject) => ({ ownerReferences: [ownerOf(owner)] })
  const belowSet = held('linux-x7k2m', 'ephemeralrunner', owned(set))
  const below = await createArc(world, 'ephemeralrunnersets', belowSet, { spec: {} })
  const registration = `ephemeralrunner.${arcGroup}/runner-registration-finalizer`
  const runner = held('linux-x7k2m-runner-1', 'ephemeralrunner', owned(below))
  const finalizers = [...runner.finalizers, registration]
  const status = { runnerId: 41, runnerName: runner.name }
  await createArc(world, 'ephemeralrunners', { ...runner, finalizers }, { spec: {}, status })
  await world.linger(minute)
}

async function uninstall(world: World): Promise<void> {
  const { kubernetes } = world
  for (const [resource] of ofChart) await kubernetes.delete(resource, { namespace, name: 'linux' })
  const background = { propagationPolicy: 'Background' } as const
  await kubernetes.delete(arcKind('autoscalingrunnersets'), { namespace, name: 'linux' }, background)
  await kubernetes.delete(namespaces, { name: namespace })
  await world.pass(minute, async () => isHeld(await heldObjects(world)) && (await complaint(world)) !== '')
  await world.linger(59 * minute)
}

/** Returns which finalizers hold the namespace, in the words of Kubernetes. */
async function complaint(world: World): Promise<string> {
  const status = JSON.stringify((await find(world, namespaces, { name: namespace }))?.['status'] ?? {})
  return /Some content in the namespace has finalizers remaining[^"]*/.exec(status)?.[0] ?? ''
}

/** Whether all objects are there and terminate. */
function isHeld(lines: readonly string[]): boolean {
  return lines.length === 8 && lines.every((line) => line.includes(' terminating '))
}

async function showStuck(bench: Bench, world: World): Promise<void> {
  const left = await heldObjects(world)
  note(bench.notebook, world, 'incident', {
    claim: 'An hour after helm uninstall, every object is terminating, and a finalizer holds it.',
    command: `kubectl -n ${namespace} get autoscalingrunnersets,ephemeralrunners,roles,… -o custom-columns=NAME:.metadata.name,DELETED:.metadata.deletionTimestamp,FINALIZERS:.metadata.finalizers`,
    output: left,
    holds: isHeld(left),
  })
  const held = await complaint(world)
  note(bench.notebook, world, 'incident', {
    claim: 'The namespace cannot be deleted, and says which finalizers hold it.',
    command: `kubectl get namespace ${namespace} -o jsonpath='{.status.conditions[?(@.type=="NamespaceFinalizersRemaining")].message}'`,
    output: [held],
    holds: held.includes(protection),
  })
}

/** Returns the objects of the set with their finalizers. */
async function heldObjects(world: World): Promise<readonly string[]> {
  const kinds = [...ofChart.map(([resource]) => resource), ...(Object.keys(arcKinds) as ArcKind[]).map(arcKind)]
  const lists = await Promise.all(kinds.map((resource) => listIn(world, resource, namespace)))
  return lists
    .flat()
    .filter(({ metadata }) => metadata.finalizers !== undefined && metadata.finalizers.length > 0)
    .map(({ kind, metadata: { name, deletionTimestamp, finalizers = [] } }) => {
      const state = deletionTimestamp === undefined ? 'present' : 'terminating'
      return `${kind} ${name} ${state} [${finalizers.join(' ')}]`
    })
}

async function unlock(bench: Bench, world: World): Promise<void> {
  const look = await lookLive(world)
  const found = linesOf(look, namespace).filter((line) => line.startsWith('FIN502'))
  const repaired = await repairLive(world, look, { restoreDeclined: true })
  const isGone = async () => (await find(world, namespaces, { name: namespace })) === undefined
  await world.pass(minute, isGone)
  const { steps } = repaired.plan
  const isSingle = steps.every(({ action }) => action.do === 'remove-finalizer')
  note(bench.notebook, world, 'remedy', {
    claim:
      'The doctor removes one finalizer after the other, from below, and each only while no controller of ARC runs.',
    command: `dayfly doctor --live --fix --remove-finalizers --confirm DIGEST`,
    output: [...found, ...repairLines(repaired)],
    holds:
      found.length > 0 && steps.length === 9 && isSingle && repaired.entries.every(({ outcome }) => outcome === 'done'),
  })
  const left = await heldObjects(world)
  const isOver = await isGone()
  note(bench.notebook, world, 'remedy', {
    claim: 'The uninstall ends: nothing is left, and the namespace is gone.',
    command: `kubectl get namespace ${namespace}`,
    output: [...left, ...(isOver ? [`Error from server (NotFound): namespaces "${namespace}" not found`] : [])],
    holds: left.length === 0 && isOver,
  })
}

/** Deletes the set of Dayfly while no controller runs. */
async function removeDayfly(bench: Bench, world: World): Promise<void> {
  const at = { namespace: dayflyNamespace, name: 'builds' }
  const count = async (resource: Resource) => (await listIn(world, resource, dayflyNamespace)).length
  const ofRunners = async () => {
    const found = await listIn(world, secrets, dayflyNamespace)
    return found.filter(({ metadata }) => metadata.name !== 'github').length
  }
  const before = await count(pods)
  await world.kubernetes.delete(runnerSets, at)
  const counts = async () => [await count(pods), await ofRunners(), await count(runnerSets)] as const
  await world.pass(minute, async () => (await counts()).every((left) => left === 0))
  const left = await counts()
  note(bench.notebook, world, 'remedy', {
    claim: `A RunnerSet with ${before} runners is deleted while no controller runs: after a minute nothing is left in the cluster.`,
    command: `kubectl -n ${dayflyNamespace} delete runnerset builds; kubectl -n ${dayflyNamespace} get pods,secrets,runnersets`,
    output: [`${left[0]} pods, ${left[1]} Secrets of runners, ${left[2]} sets`],
    holds: before === 2 && left.every((one) => one === 0),
  })
}
