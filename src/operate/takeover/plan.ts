// Turns the facts into a plan: pure. The same facts give the same plan and digest.
import { hashValue } from '../../lib/hash.ts'
import type { RunnerJob, TakeoverFacts } from './gather.ts'
import type { Held, TakeoverPlan, TakeoverStep } from './step.ts'

export function planTakeover({ deployments, runners, jobs }: TakeoverFacts): TakeoverPlan {
  const registered = new Set(runners.map(({ id }) => bare(id)))
  const stops = deployments
    .filter(({ replicas }) => replicas > 0)
    .map(({ replicas: _replicas, ...deployment }): TakeoverStep => ({ does: 'stop', deployment }))
  const retires = [...runners]
    .sort((left, right) => (left.id < right.id ? -1 : 1))
    .map(({ id, name }): TakeoverStep => ({ does: 'retire', id, name, job: jobOf(jobs, bare(id)) }))
  const alone = jobs.filter(({ uuid }) => !registered.has(uuid))
  const zombies = alone
    .filter(({ isOver }) => isOver)
    .map((job): TakeoverStep => ({ does: 'remove-job', job: heldOf(job) }))
  const steps = [...stops, ...retires, ...zombies]
  return {
    steps,
    untouched: alone
      .filter(({ isOver }) => !isOver)
      .map(({ namespace, name }) => ({
        what: `Job ${namespace}/${name}`,
        because: 'Bitbucket does not list its runner, and its runner container has not ended',
      })),
    digest: hashValue(steps, 16),
  }
}

function jobOf(jobs: readonly RunnerJob[], uuid: string): Held | undefined {
  const job = jobs.find((one) => one.uuid === uuid)
  return job && heldOf(job)
}

function heldOf({ namespace, name, uid }: Held): Held {
  return { namespace, name, uid }
}

/** Names in Kubernetes have the UUID without its braces. */
export function bare(id: string): string {
  return id.replace(/[{}]/g, '')
}
