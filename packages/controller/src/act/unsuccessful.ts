// Errors of the two ports as results of actions.
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { Failure, FailureReason } from '@dayfly/runner-set/model/failure'
import type { Unsuccessful } from '@dayfly/runner-set/model/outcome'
import { PortError, type PortErrorKind } from '@dayfly/runner-set/model/port-error'

/** Returns a failed call of the API server. The request was not carried out, unless the error says `perhapsDone`. */
export function clusterUnsuccessful(error: unknown, signal: AbortSignal): Unsuccessful {
  if (signal.aborted) return { is: 'aborted' }
  const reason = clusterReason(error)
  const failure: Failure = { reason, message: messageOf(error) }
  if (!(error instanceof KubernetesError)) return { is: 'lost-answer', failure, retryAt: undefined }
  // Admission comes before the storage: what it refuses was not carried out, also if a webhook's failure gives a 500.
  if (reason === 'admission-denied') return { is: 'refused', failure, retryAt: error.retryAt }
  // A name of ours is random: if it exists, an earlier attempt of the same request created it.
  const lost = error.perhapsDone || error.kind === 'already-exists'
  return { is: lost ? 'lost-answer' : 'refused', failure, retryAt: error.retryAt }
}

/** Returns a failed call of the forge. */
export function forgeUnsuccessful(error: unknown, signal: AbortSignal): Unsuccessful {
  if (signal.aborted) return { is: 'aborted' }
  const failure = failureOfForge(error)
  if (!(error instanceof PortError)) return { is: 'lost-answer', failure, retryAt: undefined }
  // A runner's name is random: if it exists, an earlier attempt of the same request registered it.
  const lost = error.kind === 'unavailable' || error.kind === 'bad-response' || error.kind === 'conflict'
  return { is: lost ? 'lost-answer' : 'refused', failure, retryAt: error.retryAt }
}

/** The action needs a connection to the forge, and the set has none. */
export const notConnected: Unsuccessful = {
  is: 'refused',
  failure: { reason: 'forge-unreachable', message: 'the set is not connected to its forge' },
  retryAt: undefined,
}

export function failureOfForge(error: unknown): Failure {
  if (!(error instanceof PortError)) return { reason: 'forge-unreachable', message: messageOf(error) }
  return { reason: forgeReasons[error.kind], message: error.message }
}

const forgeReasons: Readonly<Record<PortErrorKind, FailureReason>> = {
  'not-found': 'scale-set-missing',
  unauthorized: 'forge-unauthorized',
  'rate-limited': 'forge-limited',
  conflict: 'registration-collides',
  unavailable: 'forge-unreachable',
  'bad-response': 'forge-unreachable',
  'bad-config': 'forge-misconfigured',
}

/** Admission can refuse with any code: a policy answers 422, a webhook any code, and an unreachable webhook 500. */
const admissionSentence =
  /^\S+ "[^"]*" is forbidden: |admission webhook "[^"]*" denied the request|failed calling webhook /

/** The API server's own plugins refuse a pod that names an absent object. No rule of an operator forbids it. */
const missingSentence =
  /^\S+ "[^"]*" is forbidden: (?:error looking up service account |no PriorityClass with name |pod rejected: RuntimeClass ).* (?:not|was) found$/

function clusterReason(error: unknown): FailureReason {
  if (!(error instanceof KubernetesError)) return 'api-unavailable'
  if (isMissingRight(error)) return 'rights-missing'
  if (/ because it is being terminated$/.test(error.message)) return 'namespace-ending'
  if (missingSentence.test(error.message)) return 'reference-missing'
  if (error.kind !== 'quota' && admissionSentence.test(error.message)) return 'admission-denied'
  return clusterReasons[error.kind] ?? 'api-unavailable'
}

/** The template is not the cause if the controller itself has lost a right. Only the message distinguishes that from an admission rule. */
function isMissingRight({ kind, message }: KubernetesError): boolean {
  return kind === 'forbidden' && /\bUser ".*" cannot /.test(message)
}

/** Kinds that are missing here pass by themselves. */
const clusterReasons: Partial<Record<KubernetesError['kind'], FailureReason>> = {
  invalid: 'template-invalid',
  'bad-request': 'template-invalid',
  'not-found': 'reference-missing',
  forbidden: 'admission-denied',
  quota: 'quota-exceeded',
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
