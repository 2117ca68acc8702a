// One life begins: register → POST pod → POST Secret at once after it. It may stop anywhere: what is left is found by the next listing.
import { buildPod, buildSecret, templateHash } from '../../core/pod.ts'
import type { Link } from '../../forge/forge.ts'
import { KubernetesError } from '../../kubernetes/errors.ts'
import type { KubeObject } from '../../kubernetes/types.ts'
import type { Credential } from '../../model/credential.ts'
import { PortError } from '../../model/port-error.ts'
import type { Registration } from '../../model/runner.ts'
import { observePod } from '../observe/pod-facts.ts'
import type { PodObject } from '../observe/pod-object.ts'
import { pods, secrets } from '../resources.ts'
import type { ActContext } from './context.ts'
import { endRunner } from './end-runner.ts'
import { forgeFailure, messageOf, refusalOf } from './failures.ts'

/** @param name fresh, and already asked for in the cache, so that the next tick counts it. */
export async function startRunner(context: ActContext, link: Link, name: string): Promise<void> {
  const { cache, clock } = context
  const registered = await register(context, link, name)
  if (!registered) return cache.forget(name, clock.now())
  const { registration, credential } = registered
  const uid = await createPod(context, name, registration)
  if (uid === undefined) return cache.forget(name, clock.now())
  if (await createSecret(context, name, uid, credential)) return cache.table.settle(name)
  const runner = cache.table.get(name)
  const failure = { reason: 'config-missing', message: `the Secret ${name} could not be written` } as const
  if (runner) await endRunner(context, runner, { kind: 'start-failed', failure })
}

async function register(context: ActContext, link: Link, name: string) {
  const { cache, clock, journal } = context
  try {
    const outcome = await link.register(name)
    if (outcome.is === 'limited') return undefined
    cache.registered(name, outcome.registration, clock.now())
    journal({ kind: 'runner-registered', ...subject(context, name), registration: outcome.registration.id })
    return outcome
  } catch (error) {
    if (context.signal.aborted) return undefined
    // The answer may have been lost after the forge registered the name: a listing tells.
    cache.forge.registrationsDoubtful = true
    const collides = error instanceof PortError && error.kind === 'conflict'
    const failure = collides
      ? { reason: 'registration-collides' as const, message: error.message }
      : forgeFailure(error)
    refuse(context, name, failure)
    return undefined
  }
}

/** The pod's uid; undefined when there is none, and the registration is owed back at once. */
async function createPod(context: ActContext, name: string, registration: Registration): Promise<string | undefined> {
  const { kubernetes, cache, clock, signal } = context
  const pod = buildPod(cache.set, name, registration.id) as unknown as KubeObject
  try {
    const { object } = await kubernetes.create(pods, pod, { signal, fieldManager: 'dayfly' })
    return created(context, name, object)
  } catch (error) {
    if (signal.aborted) return undefined
    const perhaps = error instanceof KubernetesError && (error.perhapsDone || error.kind === 'already-exists')
    const found = perhaps ? await confirmPod(context, name) : undefined
    if (found) return created(context, name, found)
    cache.debts.add(registration, clock.now())
    const refusal = refusalOf(error)
    if (refusal) {
      const hash = templateHash(cache.set)
      cache.templateChecked({ is: 'refused', hash, failure: refusal, at: clock.now() })
    }
    refuse(context, name, refusal ?? { reason: 'sandbox-failed', message: messageOf(error) })
    return undefined
  }
}

function created(context: ActContext, name: string, object: KubeObject): string {
  const { cache, clock, journal } = context
  const observed = observePod(object as unknown as PodObject)
  if (observed) cache.podSeen(name, observed.facts, clock.now())
  const uid = object.metadata.uid ?? ''
  journal({ kind: 'pod-created', ...subject(context, name), uid })
  return uid
}

/** After a POST without an answer: the name is ours alone, so a pod of that name is ours. Undefined when a complete answer says there is none. */
async function confirmPod(context: ActContext, name: string): Promise<KubeObject | undefined> {
  const { kubernetes, cache, clock, signal } = context
  for (;;) {
    try {
      return await kubernetes.get(pods, { namespace: cache.set.namespace, name }, { signal })
    } catch (error) {
      if (signal.aborted || (error instanceof KubernetesError && error.kind === 'not-found')) return undefined
      await clock.sleep(1_000, signal).catch(() => {})
    }
  }
}

async function createSecret(context: ActContext, name: string, uid: string, credential: Credential): Promise<boolean> {
  const { kubernetes, cache, signal, clock } = context
  const secret = buildSecret(cache.set, name, uid, credential.reveal()) as unknown as KubeObject
  for (let attempt = 1; attempt <= 3 && !signal.aborted; attempt++) {
    try {
      await kubernetes.create(secrets, secret, { signal, fieldManager: 'dayfly' })
      return true
    } catch (error) {
      if (error instanceof KubernetesError && error.kind === 'already-exists') return true
      if (refusalOf(error) || signal.aborted) return false
      await clock.sleep(200 * attempt, signal).catch(() => {})
    }
  }
  return false
}

function refuse(context: ActContext, name: string, failure: ReturnType<typeof forgeFailure>): void {
  const { cache, clock, journal } = context
  cache.failedToStart(failure, name, clock.now())
  journal({ kind: 'start-refused', ...subject(context, name), failure })
}

function subject({ cache }: ActContext, runner: string) {
  return { namespace: cache.set.namespace, set: cache.set.name, runner }
}
