// Turns the facts into a plan: pure. The same facts give the same plan and digest.
import { hashValue } from '@dayfly/kit/hash'
import type { RunnerJob, RunnerSecret, TakeoverFacts } from './gather.ts'
import type { Held, Named, TakeoverPlan, TakeoverStep } from './step.ts'

export function planTakeover({ deployments, runners, jobs, secrets }: TakeoverFacts): TakeoverPlan {
  const registered = new Set(runners.map(({ id }) => bare(id)))
  const stops = deployments
    .filter(({ replicas }) => replicas > 0)
    .map(({ replicas: _replicas, ...deployment }): TakeoverStep => ({ does: 'stop', deployment }))
  const found = secrets.known ? secrets.value : []
  const retires = [...runners]
    .sort((left, right) => (left.id < right.id ? -1 : 1))
    .map(({ id, name }): TakeoverStep => {
      const job = jobs.find(({ uuid }) => uuid === bare(id))
      const secret = secretOf(bare(id), found) ?? (job && besideJob(job))
      return { does: 'retire', id, name, job: job && heldOf(job), secret }
    })
  const alone = jobs.filter(({ uuid }) => !registered.has(uuid))
  const zombies = alone
    .filter(({ isOver }) => isOver)
    .map((job): TakeoverStep => {
      const secret = secretOf(job.uuid, found) ?? besideJob(job)
      return { does: 'remove-job', job: heldOf(job), secret }
    })
  const withJob = new Set(jobs.map(({ uuid }) => uuid))
  const lost = found
    .filter(({ uuid }) => !registered.has(uuid) && !withJob.has(uuid))
    .map(({ uuid, namespace, name }): TakeoverStep => ({ does: 'remove-secret', uuid, secret: { namespace, name } }))
  const steps = [...stops, ...retires, ...zombies, ...lost]
  return {
    steps,
    untouched: [
      ...alone
        .filter(({ isOver }) => !isOver)
        .map(({ namespace, name }) => ({
          what: `Job ${namespace}/${name}`,
          because: 'Bitbucket does not list its runner, and its runner container has not ended',
        })),
      ...(secrets.known ? [] : [{ what: 'Secrets of runners whose Job is gone', because: secrets.why }]),
    ],
    digest: hashValue(steps, 16),
  }
}

function secretOf(uuid: string, found: readonly RunnerSecret[]): Named | undefined {
  const secret = found.find((one) => one.uuid === uuid)
  return secret && { namespace: secret.namespace, name: secret.name }
}

/** Returns the usual place of the Secret, for an operator who may not list Secrets. */
function besideJob({ namespace, uuid }: RunnerJob): Named {
  return { namespace, name: `runner-oauth-credentials-${uuid}` }
}

function heldOf({ namespace, name, uid }: Held): Held {
  return { namespace, name, uid }
}

/** Names in Kubernetes have the UUID without its braces. */
export function bare(id: string): string {
  return id.replace(/[{}]/g, '')
}
