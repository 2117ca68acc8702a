// Errors of the two ports as failures of ours.
import { KubernetesError } from '../../kubernetes/errors.ts'
import type { Failure, FailureReason } from '../../model/failure.ts'
import { PortError, type PortErrorKind } from '../../model/port-error.ts'

/** A refusal that trying again does not cure by itself; undefined for everything that may pass (no answer, 5xx, 429). */
export function refusalOf(error: unknown): Failure | undefined {
  if (!(error instanceof KubernetesError)) return undefined
  const reason = refusals[error.kind]
  return reason ? { reason, message: error.message } : undefined
}

const refusals: Partial<Record<KubernetesError['kind'], FailureReason>> = {
  invalid: 'template-invalid',
  'bad-request': 'template-invalid',
  'not-found': 'template-invalid',
  forbidden: 'admission-denied',
  quota: 'quota-exceeded',
}

export function forgeFailure(error: unknown): Failure {
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

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
