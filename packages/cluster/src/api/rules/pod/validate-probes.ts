// Validates probes and lifecycle hooks (validateProbe, validateHandler, validateLifecycle).
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/apis/core/validation/validation.go
import { type FieldError, invalidValue, notAllowed, notSupported, required } from '../../values/field-error.ts'
import { portNameProblems } from '../../values/names.ts'
import type { Container, Handler, Probe } from './pod-spec.ts'

/**
 * Validates the probes and hooks of a container that may have them.
 * @param grace the pod's grace period in seconds.
 */
export function validateHandlers(container: Container, field: string, grace: number): readonly FieldError[] {
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container
  const errors: FieldError[] = []
  for (const hook of ['postStart', 'preStop'] as const) {
    const handler = lifecycle?.[hook]
    if (handler !== undefined) errors.push(...validateHandler(handler, `${field}.lifecycle.${hook}`, grace))
  }
  if (livenessProbe !== undefined) errors.push(...validateProbe(livenessProbe, `${field}.livenessProbe`, grace, true))
  if (readinessProbe !== undefined) {
    const at = `${field}.readinessProbe`
    errors.push(...validateProbe(readinessProbe, at, grace, false))
    const own = readinessProbe.terminationGracePeriodSeconds
    if (own !== undefined) {
      errors.push(invalidValue(`${at}.terminationGracePeriodSeconds`, own, 'must not be set for readinessProbes'))
    }
  }
  if (startupProbe !== undefined) errors.push(...validateProbe(startupProbe, `${field}.startupProbe`, grace, true))
  return errors
}

/** Refuses probes and hooks: a plain init container runs once to completion. */
export function refuseHandlers(container: Container, field: string): readonly FieldError[] {
  const why = 'may not be set for init containers without restartPolicy=Always'
  return (['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const)
    .filter((part) => container[part] !== undefined)
    .map((part) => notAllowed(`${field}.${part}`, why))
}

function validateProbe(probe: Probe, field: string, grace: number, once: boolean): readonly FieldError[] {
  const errors = [...validateHandler(probe, field, grace)]
  for (const part of [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ] as const) {
    const value = probe[part] ?? 0
    if (value < 0) errors.push(invalidValue(`${field}.${part}`, value, 'must be greater than or equal to 0'))
  }
  const own = probe.terminationGracePeriodSeconds
  if (own !== undefined && own <= 0) {
    errors.push(invalidValue(`${field}.terminationGracePeriodSeconds`, own, 'must be greater than 0'))
  }
  if (once && probe.successThreshold !== 1) {
    errors.push(invalidValue(`${field}.successThreshold`, probe.successThreshold ?? 0, 'must be 1'))
  }
  return errors
}

function validateHandler(handler: Handler, field: string, grace: number): readonly FieldError[] {
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler
  const given = { exec, httpGet, tcpSocket, grpc, sleep }
  const kinds = Object.entries(given).filter(([, action]) => action !== undefined)
  const [first, ...others] = kinds.map(([kind]) => kind)
  if (first === undefined) return [required(field, 'must specify a handler type')]
  const errors = others.map((kind) => notAllowed(`${field}.${kind}`, 'may not specify more than 1 handler type'))
  if (first === 'exec' && (exec?.command ?? []).length === 0) errors.unshift(required(`${field}.exec.command`))
  if (first === 'httpGet') errors.unshift(...validateHttpGet(httpGet ?? {}, `${field}.httpGet`))
  if (first === 'tcpSocket') errors.unshift(...validatePort(tcpSocket?.port, `${field}.tcpSocket.port`))
  if (first === 'grpc') errors.unshift(...validatePort(grpc?.port, `${field}.grpc.port`))
  const seconds = sleep?.seconds ?? 0
  if (first === 'sleep' && (seconds < 0 || seconds > grace)) {
    const why = `must be non-negative and less than terminationGracePeriodSeconds (${grace})`
    errors.unshift(invalidValue(`${field}.sleep`, seconds, why))
  }
  return errors
}

function validateHttpGet(action: NonNullable<Handler['httpGet']>, field: string): readonly FieldError[] {
  const errors: FieldError[] = []
  if ((action.path ?? '') === '') errors.push(required(`${field}.path`))
  errors.push(...validatePort(action.port, `${field}.port`))
  if (!['HTTP', 'HTTPS'].includes(action.scheme ?? '')) {
    errors.push(notSupported(`${field}.scheme`, action.scheme ?? '', ['HTTP', 'HTTPS']))
  }
  return errors
}

function validatePort(port: number | string | undefined, field: string): readonly FieldError[] {
  if (typeof port === 'string') return portNameProblems(port).map((problem) => invalidValue(field, port, problem))
  const number = port ?? 0
  return number >= 1 && number <= 65535 ? [] : [invalidValue(field, number, 'must be between 1 and 65535, inclusive')]
}
