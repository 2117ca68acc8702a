// No decision of Dayfly ends a runner that has a job, unless its operator bounds every life.
import type { Request } from '@dayfly/kit/http'
import { giteaRunner } from '../gitea/jobs.ts'
import { runnerLabel } from '../job-pods.ts'
import { setOf } from '../operator.ts'
import type { World } from '../world.ts'
import { isOverBound, setOfRunner } from './bound.ts'
import type { Checker } from './checker.ts'

const podPath = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)$/

export const busyRunner: Checker = {
  name: 'busy-runner',
  watch: (world, broken) => {
    // The job of a runner at the moment in which the server gets the deletion of its pod.
    const hit = new Map<string, string>()
    world.observers.sent.add((identity, server, request) => {
      const pod = server === 'api' ? deletedPod(request) : undefined
      if (pod === undefined) return
      const runner = runnerOf(world, pod)
      if (!isAlive(world, runner)) return
      const job = jobOf(world, runner.name)
      if (job !== undefined && !isOverBound(world, runner.name)) hit.set(`${identity} ${pod.name}`, job)
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
    watchGitea(world, broken)
    world.bitbucket.control.onStep(({ kind, id, runner }) => {
      const step = kind === 'finished' ? world.bitbucket.control.step(id) : undefined
      if (
        step?.reason === 'The runner was deleted.' &&
        step.times.started !== undefined &&
        isOfLivingSet(world, runner ?? '') &&
        !isOverBound(world, runner ?? '')
      )
        broken(`the removal of the registration ${runner} ended its step ${id}`)
    })
  },
}

/** Gitea removes a busy runner if it is shown to. The job then hangs, so the moment of the removal counts. */
function watchGitea(world: World, broken: (sentence: string) => void): void {
  const { observers, gitea } = world
  observers.sent.add((identity, server, { method, path }) => {
    const id = server === 'forge' && method === 'DELETE' ? giteaRunner.exec(path)?.[1] : undefined
    const runner = id === undefined ? undefined : gitea.control.runner(id)
    if (runner?.job === undefined) return
    const { name, job } = runner
    if (isOfLivingSet(world, name) && !isOverBound(world, name))
      broken(`${identity} removes the registration ${name}, whose runner has the job ${job}`)
  })
}

/** Whether the runner lives and its set does, too: the operator may delete a set with its busy runners. */
function isOfLivingSet(world: World, name: string): boolean {
  const set = setOfRunner(world, name)
  return set !== undefined && setOf(world, set) !== undefined && isAlive(world, { namespace: set.namespace, name })
}

type PodName = { readonly namespace: string; readonly name: string }

function deletedPod({ method, path }: Request): PodName | undefined {
  const [, namespace, name] = (method === 'DELETE' && podPath.exec(path)) || []
  return namespace === undefined || name === undefined ? undefined : { namespace, name }
}

/** Returns the runner of a pod: its own, or that of the job in it. */
function runnerOf({ registry }: World, { namespace, name }: PodName): PodName {
  const runner = registry.get('pods', namespace, name)?.metadata.labels?.[runnerLabel]
  return { namespace, name: runner ?? name }
}

function isAlive({ registry, alive }: World, { namespace, name }: PodName): boolean {
  const pod = registry.get('pods', namespace, name)
  return pod !== undefined && alive.has(pod.metadata.uid)
}

function jobOf({ github, bitbucket, gitea }: World, name: string): string | undefined {
  if (github.control.registration(name)?.busy) return 'at GitHub'
  const step = bitbucket.control.runners().find((one) => one.name === name)?.step
  // A request that arrives twice leaves a twin of the same name.
  return step ?? gitea.control.runners().find((one) => one.name === name && one.job !== undefined)?.job
}
