// No decision of Dayfly ends a runner that has a job.
import type { Request } from '../../src/lib/http.ts'
import type { World } from '../world.ts'
import type { Checker } from './checker.ts'

const podPath = /^\/api\/v1\/namespaces\/[^/]+\/pods\/([^/]+)$/

export const busyRunner: Checker = {
  name: 'busy-runner',
  watch: (world, broken) => {
    // The job of a runner at the moment in which the server gets the deletion of its pod.
    const hit = new Map<string, string>()
    world.heard.sent.add((identity, server, request) => {
      const name = server === 'api' ? deletedPod(request) : undefined
      if (name === undefined || !isAlive(world, name)) return
      const job = jobOf(world, name)
      if (job !== undefined) hit.set(`${identity} ${name}`, job)
    })
    world.heard.answered.add((identity, server, request, { status }) => {
      const name = server === 'api' ? deletedPod(request) : undefined
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
        isAlive(world, runner ?? '')
      )
        broken(`the removal of the registration ${runner} ended its step ${id}`)
    })
  },
}

function deletedPod({ method, path }: Request): string | undefined {
  return method === 'DELETE' ? podPath.exec(path)?.[1] : undefined
}

function isAlive({ registry, alive }: World, name: string): boolean {
  const pod = registry.list('pods').find(({ metadata }) => metadata.name === name)
  return pod !== undefined && alive.has(pod.metadata.uid)
}

function jobOf({ github, bitbucket }: World, name: string): string | undefined {
  const registration = github.control.registrations().find((one) => one.name === name)
  if (registration?.busy) return 'at GitHub'
  return bitbucket.control.runners().find((one) => one.name === name)?.step
}
