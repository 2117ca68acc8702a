// Carries out a confirmed takeover. No runner ends while it has a step: the forge proves that, and a runner that has one stays.
import { pods, secrets } from '../../controller/resources.ts'
import type { ForgeAccount } from '../../forge/account.ts'
import { limit } from '../../lib/queue.ts'
import { valueAt } from '../../lib/read-json.ts'
import { getOne, listAll, type Place } from '../read.ts'
import { kept, type Outcome, type StepResult, takeStep } from '../step-result.ts'
import { deployments, jobs } from './gather.ts'
import { bare } from './plan.ts'
import type { Held, TakeoverStep } from './step.ts'

export type TakingOver = Place & { readonly account: ForgeAccount }

type Result = StepResult<TakeoverStep>

/** How long the pods of the old autoscaler may take to end, in milliseconds. */
const stopMs = 60_000
/** A removal waits more than half a minute, so many of them wait together. */
const atOnce = 50

/** Runners retire only after the old autoscaler has stopped: it would make new ones. The signal ends the work between two calls. */
export async function performTakeover(
  world: TakingOver,
  steps: readonly TakeoverStep[],
  report: (result: Result) => void,
): Promise<readonly Result[]> {
  const results = new Map<TakeoverStep, Result>()
  const finish = (step: TakeoverStep, outcome: Outcome) => {
    const result = { step, ...outcome }
    results.set(step, result)
    report(result)
    return outcome.is === 'done'
  }
  const stops = steps.filter(({ does }) => does === 'stop')
  const others = steps.filter(({ does }) => does !== 'stop')
  const take = (step: TakeoverStep) => takeStep(world.signal, () => act(world, step))
  let hasStopped = true
  for (const step of stops) hasStopped = finish(step, hasStopped ? await take(step) : notReached) && hasStopped
  const wide = limit(atOnce)
  await Promise.all(others.map((step) => wide(async () => finish(step, hasStopped ? await take(step) : notReached))))
  return steps.flatMap((step) => results.get(step) ?? [])
}

const notReached: Outcome = { is: 'skipped', why: 'the old autoscaler has not stopped' }

function act(world: TakingOver, step: TakeoverStep): Promise<Outcome> {
  switch (step.does) {
    case 'stop':
      return stop(world, step.deployment)
    case 'retire':
      return retire(world, step.id, step.job)
    case 'remove-job':
      return removeJob(world, step.job)
  }
}

async function stop(world: TakingOver, deployment: Held): Promise<Outcome> {
  const { kubernetes, clock, signal } = world
  const now = await getOne(world, deployments, deployment)
  if (now?.metadata.uid !== deployment.uid) return kept('it is gone, or is another one')
  // The status counts no pod that is being deleted, and such a pod may still act.
  const labelSelector = Object.entries(valueAt(now, 'spec', 'selector', 'matchLabels') ?? {})
    .map((pair) => pair.join('='))
    .join(',')
  const body = { metadata: { resourceVersion: now.metadata.resourceVersion }, spec: { replicas: 0 } }
  await kubernetes.patch(deployments, deployment, { type: 'merge', body }, { signal })
  for (const end = clock.now() + stopMs; clock.now() < end; await clock.sleep(500, signal)) {
    const left = await listAll(world, pods, { namespace: deployment.namespace, labelSelector })
    if (left.length === 0) return { is: 'done', why: 'it has no pod any more' }
  }
  return kept(`its pods did not end within ${stopMs / 1_000} s`)
}

/** The removal disables the runner first, waits as long as a step may still be on its way to it, and then needs a list that shows none. */
async function retire(world: TakingOver, id: string, job: Held | undefined): Promise<Outcome> {
  const answer = await world.account.deregister(id, world.signal)
  if (answer === 'busy') return kept('it has a step: it is disabled, and ends with the next run')
  if (job) await deleteJob(world, job, bare(id))
  return { is: 'done', why: answer === 'absent' ? 'Bitbucket no longer had it' : 'it had no step' }
}

async function removeJob(world: TakingOver, job: Held): Promise<Outcome> {
  const uuid = job.name.replace(/^runner-/, '')
  const left = (await world.account.registrations(world.signal)).some(({ id }) => bare(id) === uuid)
  if (left) return kept('Bitbucket lists its runner again')
  await deleteJob(world, job, uuid)
  return { is: 'done', why: 'its pods end with it' }
}

/** The old autoscaler's Secret belongs to nobody, so that it goes with the Job. */
async function deleteJob({ kubernetes, signal }: TakingOver, job: Held, uuid: string): Promise<void> {
  const { namespace } = job
  const preconditions = { uid: job.uid }
  await kubernetes.delete(jobs, job, { propagationPolicy: 'Background', preconditions, signal })
  await kubernetes.delete(secrets, { namespace, name: `runner-oauth-credentials-${uuid}` }, { signal })
}
