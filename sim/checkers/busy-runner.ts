// No decision of Dayfly ends a runner that has a job.
import type { Request } from '@dayfly/kit/http'
import type { World } from '../world.ts'
import type { Checker } from './checker.ts'

const podPath = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)$/

export const busyRunner: Checker = {
  name: 'busy-runner',
  watch: (world, broken) => {
    // The job of a runner at the moment in which the server gets the deletion of its pod.
    const hit = new Map<string, string>()
    world.observers.sent.add((identity, server, request) => {
      const pod = server === 'api' ? deletedPod(request) : undefined
      if (pod === undefined || !isAlive(world, pod)) return
      const { name } = pod
      const job = jobOf(world, name)
      if (job !== undefined) hit.set(`${identity} ${name}`, job)
    })
    world.observers.answered.add((identity, server, request, { status }) => {
      if (hit.size === 0) return
      const name = server === 'api' ? deletedPod(request)?.name : undefined
      const job = hit.get(`${identity} ${name}`)
      if (job === undefined) return
      hit.delete(`${identity} ${name}`)
      // A deletion whose precondition failed does no harm.
      if (status < 300) broken(`${identity} deletes the pod ${name}, whose runner has the job ${job}`)
    })
    world.bitbucket.control.onStep(({ kind, id, runner }) => {
      const step = kind === 'finished' ? world.bitbucket.control.step(id) : undefined
      if (
        step?.reason === 'The runner was deleted.' &&
        step.times.started !== undefined &&
        world.sets.some(({ namespace }) => isAlive(world, { namespace, name: runner ?? '' }))
      )
        broken(`the removal of the registration ${runner} ended its step ${id}`)
    })
  },
}

type PodName = { readonly namespace: string; readonly name: string }

function deletedPod({ method, path }: Request): PodName | undefined {
  const [, namespace, name] = (method === 'DELETE' && podPath.exec(path)) || []
  return namespace === undefined || name === undefined ? undefined : { namespace, name }
}

function isAlive({ registry, alive }: World, { namespace, name }: PodName): boolean {
  const pod = registry.get('pods', namespace, name)
  return pod !== undefined && alive.has(pod.metadata.uid)
}

function jobOf({ github, bitbucket }: World, name: string): string | undefined {
  if (github.control.registration(name)?.busy) return 'at GitHub'
  return bitbucket.control.runners().find((one) => one.name === name)?.step
}
