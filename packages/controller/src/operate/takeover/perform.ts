// Carries out a confirmed takeover. No runner ends while it has a step: the forge proves that, and a runner that has one stays.
import { limit } from '@dayfly/kit/queue'
import { valueAt } from '@dayfly/kit/read-json'
import type { ForgeAccount } from '@dayfly/runner-set/forge/account'
import { pods, secrets } from '../../resources.ts'
import { type Cluster, getOne, listAll } from '../read.ts'
import { kept, type Outcome, type StepResult, takeStep } from '../step-result.ts'
import { deployments, jobs } from './gather.ts'
import { bare } from './plan.ts'
import type { Held, Named, TakeoverStep } from './step.ts'

export type TakingOver = Cluster & { readonly account: ForgeAccount }

type Result = StepResult<TakeoverStep>
type StepThat<Does> = Extract<TakeoverStep, { readonly does: Does }>

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
      return retire(world, step)
    case 'remove-job':
      return removeJob(world, step)
    case 'remove-secret':
      return removeSecret(world, step)
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
async function retire(world: TakingOver, { id, job, secret }: StepThat<'retire'>): Promise<Outcome> {
  const answer = await world.account.deregister(id, world.signal)
  if (answer === 'busy') return kept('it has a step: it is disabled, and ends with the next run')
  if (job) await deleteJob(world, job)
  if (secret) await deleteSecret(world, secret)
  return { is: 'done', why: answer === 'absent' ? 'Bitbucket no longer had it' : 'it had no step' }
}

async function removeJob(world: TakingOver, { job, secret }: StepThat<'remove-job'>): Promise<Outcome> {
  if (await isListed(world, job.name.replace(/^runner-/, ''))) return listedAgain
  await deleteJob(world, job)
  await deleteSecret(world, secret)
  return { is: 'done', why: 'its pods end with it' }
}

async function removeSecret(world: TakingOver, { uuid, secret }: StepThat<'remove-secret'>): Promise<Outcome> {
  if (await isListed(world, uuid)) return listedAgain
  const job = await getOne(world, jobs, { namespace: secret.namespace, name: `runner-${uuid}` })
  if (job) return kept('its runner has a Job again')
  await deleteSecret(world, secret)
  return { is: 'done', why: 'no runner uses it' }
}

const listedAgain = kept('Bitbucket lists its runner again')

async function isListed({ account, signal }: TakingOver, uuid: string): Promise<boolean> {
  return (await account.registrations(signal)).some(({ id }) => bare(id) === uuid)
}

async function deleteJob({ kubernetes, signal }: TakingOver, job: Held): Promise<void> {
  const preconditions = { uid: job.uid }
  await kubernetes.delete(jobs, job, { propagationPolicy: 'Background', preconditions, signal })
}

/** The old autoscaler's Secret belongs to nobody, so it does not go with the Job. Its name is that of one runner. */
async function deleteSecret({ kubernetes, signal }: TakingOver, secret: Named): Promise<void> {
  await kubernetes.delete(secrets, secret, { signal })
}
