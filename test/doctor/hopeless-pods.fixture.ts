// Pods that wait for a process that is gone, beside similar runners that are busy.
import type { Registry } from '@dayfly/cluster/api/registry'
import {
  arcKinds,
  createArc,
  createPod,
  ended,
  ownedBy,
  type PodLook,
  running,
} from '@dayfly/doctor/live/doctor-cluster.fixture'
import type { Clock } from '@dayfly/kit/clock'

type Place = { readonly registry: Registry; readonly clock: Clock }

/** The busy runners, with all their objects. */
export function makeHopeless({ registry, clock }: Place): readonly { resource: string; name: string }[] {
  const tracked = { finalizers: ['batch.kubernetes.io/job-tracking'], ownerReferences: ownedBy(jobOf('gone')) }
  const over = { runner: ended(clock), docker: ended(clock), phase: 'Succeeded' } satisfies PodLook
  const zombie = { runner: ended(clock), docker: running(clock), phase: 'Running' } satisfies PodLook
  const works = { runner: running(clock), docker: running(clock), phase: 'Running' } satisfies PodLook
  const terminating = (name: string, metadata: object, look: PodLook) => {
    createPod(registry, { name, ...metadata }, look)
    registry.delete('pods', 'runners', name)
  }
  const owned = (name: string) => ({ ownerReferences: ownedBy(registry.create('jobs.batch', { ...jobOf(name) })) })

  terminating('lost', {}, { ...zombie, node: 'gone' })
  terminating('tracked', tracked, over)
  terminating('tracked-zombie', tracked, zombie)
  createPod(registry, { name: 'again', ...owned('again') }, zombie)
  createPod(registry, { name: 'orphan', ownerReferences: ownedBy(jobOf('gone')) }, over)

  terminating('lost-busy', {}, { ...works, node: 'gone' })
  terminating('tracked-busy', tracked, works)
  createPod(registry, { name: 'busy', ...owned('busy') }, works)
  for (const [name, job] of Object.entries({ 'arc-zombie': {}, 'arc-busy': { jobId: '1' } })) {
    const runner = createArc(registry, 'EphemeralRunner', { name }, { status: { phase: 'Running', ...job } })
    createPod(registry, { name, ownerReferences: ownedBy(runner) }, zombie)
  }
  return [
    ...['lost-busy', 'tracked-busy', 'busy', 'arc-busy'].map((name) => ({ resource: 'pods', name })),
    { resource: 'jobs.batch', name: 'busy' },
    { resource: arcKinds.EphemeralRunner, name: 'arc-busy' },
  ]
}

/** A Job of another controller, so that the Job controller does not touch it. It would retry. */
function jobOf(name: string) {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'runner', image: 'x' }] } }
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: 'runners', uid: `uid-of-${name}` },
    spec: { managedBy: 'dayfly.dev/tests', backoffLimit: 6, template },
  }
}
