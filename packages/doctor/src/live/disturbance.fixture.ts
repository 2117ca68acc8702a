// Makes a runner busy while it is being repaired, in one of the ways in which a cluster shows that.
import type { StoredObject } from '@dayfly/cluster/store/object'
import type { Random } from '@dayfly/kit/random'
import { arcKinds, createPod, type DoctorCluster, ownedBy, running, setPodStatus } from './doctor-cluster.fixture.ts'
import { pickOf, type Runner } from './state.fixture.ts'

export type Disturbance = {
  readonly runner: Runner
  /** The object that changes in the API server. An object that only belongs to it does not change. */
  readonly changes: string
  /** Makes the runner busy. Returns the objects that must stay unchanged from now on. */
  begin(): readonly (readonly [resource: string, object: StoredObject])[]
}

/** Returns undefined if the runner can no longer become busy. */
export function disturbanceOf(cluster: DoctorCluster, runner: Runner, random: Random): Disturbance | undefined {
  const { registry } = cluster
  const find = (resource: string) => registry.get(resource, 'runners', runner.name)
  const ways: readonly (readonly [changes: string, change: () => void])[] = [
    ...(mayStart(find('pods')) ? [['pods', () => start(cluster, runner.name)] as const] : []),
    ...(find('pods') ? [['pods', () => replace(cluster, runner.name)] as const] : []),
    ...(find(arcKinds.EphemeralRunner) && !runner.isOver
      ? [['ephemeralrunners', () => assign(cluster, runner.name)] as const]
      : []),
  ]
  if (ways.length === 0) return undefined
  const [changes, change] = pickOf(random, ways)
  const begin = () => {
    change()
    return runner.objects.flatMap(([resource, name]) => {
      const object = registry.get(resource, 'runners', name)
      return object ? [[resource, object] as const] : []
    })
  }
  return { runner, changes: `${changes}/${runner.name}`, begin }
}

/** No container starts on a missing node, and the API server refuses a running state for a container that must not restart. */
function mayStart(pod: StoredObject | undefined): boolean {
  const { phase, containerStatuses } = (pod?.['status'] ?? {}) as {
    readonly phase?: string
    readonly containerStatuses?: readonly { readonly name: string; readonly state: object }[]
  }
  if ((pod?.['spec'] as { readonly nodeName?: string } | undefined)?.nodeName !== 'node-1') return false
  const runner = containerStatuses?.find(({ name }) => name === 'runner')?.state ?? {}
  return (phase === 'Pending' || phase === 'Running') && !('terminated' in runner)
}

function start({ registry, clock }: DoctorCluster, name: string): void {
  if (!registry.get('pods', 'runners', name)) return
  const look = { phase: 'Running', runner: running(clock), docker: running(clock) }
  setPodStatus(registry, { namespace: 'runners', name }, look)
}

/** Another pod with the same name, for the same owner. */
function replace({ registry, clock }: DoctorCluster, name: string): void {
  const old = registry.get('pods', 'runners', name)
  if (!old) return
  registry.update('pods', { ...old, metadata: { ...old.metadata, finalizers: [] } })
  if (registry.get('pods', 'runners', name)) registry.delete('pods', 'runners', name, { gracePeriodSeconds: 0 })
  const owner = ['jobs.batch', arcKinds.EphemeralRunner]
    .map((resource) => registry.get(resource, 'runners', name))
    .find((object) => object?.metadata.uid === old.metadata.ownerReferences?.[0]?.uid)
  const metadata = { name, ownerReferences: owner ? ownedBy(owner) : [] }
  createPod(registry, metadata, { phase: 'Running', runner: running(clock) })
}

function assign({ registry }: DoctorCluster, name: string): void {
  const runner = registry.get(arcKinds.EphemeralRunner, 'runners', name)
  if (!runner) return
  const status = { ...(runner['status'] as object | undefined), jobId: 'build' }
  registry.update(arcKinds.EphemeralRunner, { ...runner, status })
}
