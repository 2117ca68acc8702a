// One life begins: register, create the pod, and at once create the Secret. The sequence may stop anywhere: the next list shows what is left.
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { networkEntries } from '@dayfly/runner-set/core/network'
import { buildPod, buildSecret } from '@dayfly/runner-set/core/pod'
import type { Credential } from '@dayfly/runner-set/model/credential'
import type { StartOutcome } from '@dayfly/runner-set/model/outcome'
import type { PodFacts, Registration } from '@dayfly/runner-set/model/runner'
import { observePod } from '../observe/pod-facts.ts'
import type { PodObject } from '../observe/pod-object.ts'
import { pods, secrets } from '../resources.ts'
import type { ActContext } from './context.ts'
import { clusterUnsuccessful, forgeUnsuccessful, notConnected } from './unsuccessful.ts'

/** A lost response is repeated this often: the Secret has one name, so that it is created once. */
const secretAttempts = 3

/** Yields the result of each call, in order. The last one ends the action.
 *  @param name fresh, and already requested in the set's state, so that the next tick counts it */
export async function* startRunner(context: ActContext, name: string): AsyncGenerator<StartOutcome> {
  const registered = await register(context, name)
  yield registered.outcome
  if (registered.outcome.is !== 'registered' || !registered.credential) return
  const created = await createPod(context, name, registered.outcome.registration)
  yield created
  if (created.is !== 'pod-created') return
  yield await createSecret(context, name, created.pod.uid, registered.credential)
}

async function register(
  { link, signal, leads }: ActContext,
  name: string,
): Promise<{ readonly outcome: StartOutcome; readonly credential?: Credential }> {
  if (!link) return { outcome: { ...notConnected, step: 'register' } }
  if (!leads()) return { outcome: { is: 'aborted', step: 'register' } }
  try {
    const answer = await link.register(name)
    if (answer.is === 'limited') return { outcome: { is: 'limited', until: answer.until } }
    return { outcome: { is: 'registered', registration: answer.registration }, credential: answer.credential }
  } catch (error) {
    return { outcome: { ...forgeUnsuccessful(error, signal), step: 'register' } }
  }
}

async function createPod(context: ActContext, name: string, registration: Registration): Promise<StartOutcome> {
  const { kubernetes, set, templateHash, signal } = context
  const pod = buildPod(set, name, registration.id, templateHash) as unknown as KubeObject
  try {
    const { object } = await kubernetes.create(pods, pod, { signal, fieldManager: 'dayfly', metadataOnly: true })
    const facts = factsOf(object)
    return facts ? { is: 'pod-created', pod: facts } : { ...unreadable, step: 'pod' }
  } catch (error) {
    return { ...clusterUnsuccessful(error, signal), step: 'pod' }
  }
}

/** Returns the facts of a pod that the API server sent; undefined if a webhook took our labels or owner away. */
export function factsOf(object: KubeObject): PodFacts | undefined {
  return observePod(object as unknown as PodObject)?.facts
}

const unreadable = {
  is: 'lost-answer',
  failure: { reason: 'template-changed', message: 'the stored pod lacks our labels or its owner' },
  retryAt: undefined,
} as const

async function createSecret(
  { kubernetes, set, proxyLogin, signal }: ActContext,
  name: string,
  podUid: string,
  credential: Credential,
): Promise<StartOutcome> {
  const entries = { ...credential.reveal(), ...networkEntries(set.network, proxyLogin) }
  const secret = buildSecret(set, name, podUid, entries) as unknown as KubeObject
  for (let attempt = 1; ; attempt++) {
    try {
      // The pod waits for its Secret, and a kubelet that does not find it tries again later and later.
      await kubernetes.create(secrets, secret, { signal, fieldManager: 'dayfly', metadataOnly: true, first: true })
      return { is: 'secret-created' }
    } catch (error) {
      // The name is ours alone: an earlier attempt created it, and its response was lost.
      if (error instanceof KubernetesError && error.kind === 'already-exists') return { is: 'secret-created' }
      const result = clusterUnsuccessful(error, signal)
      if (result.is !== 'lost-answer' || attempt === secretAttempts) return { ...result, step: 'secret' }
    }
  }
}
