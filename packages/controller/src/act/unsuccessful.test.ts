import { KubernetesError, type KubernetesErrorKind } from '@dayfly/kubernetes/errors'
import { PortError, type PortErrorKind } from '@dayfly/runner-set/model/port-error'
import { describe, expect, it } from 'vitest'
import { clusterUnsuccessful, failureOfForge, forgeUnsuccessful, messageOf } from './unsuccessful.ts'

const { signal } = new AbortController()

describe('a failed call of the API server', () => {
  it.each<[KubernetesErrorKind, string, string]>([
    ['invalid', 'refused', 'template-invalid'],
    ['bad-request', 'refused', 'template-invalid'],
    ['not-found', 'refused', 'reference-missing'],
    ['forbidden', 'refused', 'admission-denied'],
    ['quota', 'refused', 'quota-exceeded'],
    ['unauthorized', 'refused', 'api-unavailable'],
    ['rate-limited', 'refused', 'api-unavailable'],
    ['conflict', 'refused', 'api-unavailable'],
    ['expired', 'refused', 'api-unavailable'],
    ['unavailable', 'refused', 'api-unavailable'],
    ['already-exists', 'lost-answer', 'api-unavailable'],
  ])('%s is %s with the reason %s', (kind, is, reason) => {
    const result = clusterUnsuccessful(new KubernetesError(kind, 'the server’s sentence'), signal)
    expect(result).toEqual({ is, failure: { reason, message: 'the server’s sentence' }, retryAt: undefined })
  })

  it.each<[KubernetesErrorKind, string]>([
    ['invalid', `pods "a" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: pin the image`],
    ['bad-request', 'admission webhook "gate.example" denied the request: no'],
    ['unavailable', 'Internal error occurred: failed calling webhook "gate.example": connection refused'],
    ['forbidden', 'pods "a" is forbidden: violates PodSecurity "restricted:latest": x'],
  ])('is a refusal by admission with any code: %s, %s', (kind, message) => {
    expect(clusterUnsuccessful(new KubernetesError(kind, message), signal)).toMatchObject({
      failure: { reason: 'admission-denied', message },
    })
  })

  it.each([
    ['ServiceAccount', 'error looking up service account ci/build: serviceaccount "build" not found'],
    ['PriorityClass', 'no PriorityClass with name high was found'],
    ['RuntimeClass', 'pod rejected: RuntimeClass "gvisor" not found'],
  ])('is a missing %s, which no admission rule forbids', (_kind, why) => {
    const error = new KubernetesError('forbidden', `pods "a" is forbidden: ${why}`)
    expect(clusterUnsuccessful(error, signal)).toMatchObject({
      is: 'refused',
      failure: { reason: 'reference-missing' },
    })
  })

  it('was not carried out if a webhook could not be called, though the code is 500', () => {
    const message = 'Internal error occurred: failed calling webhook "gate.example": context deadline exceeded'
    const error = new KubernetesError('unavailable', message, { perhapsDone: true })
    expect(clusterUnsuccessful(error, signal)).toMatchObject({ is: 'refused', failure: { message } })
  })

  it('is a used-up quota, though admission refuses it', () => {
    const message = 'pods "a" is forbidden: exceeded quota: q, requested: pods=1'
    expect(clusterUnsuccessful(new KubernetesError('quota', message), signal)).toMatchObject({
      failure: { reason: 'quota-exceeded' },
    })
  })

  it('is no used-up quota if the quota wants amounts that the pod lacks: waiting does not help', () => {
    const message = 'pods "a" is forbidden: failed quota: q: must specify limits.cpu for: runner'
    expect(clusterUnsuccessful(new KubernetesError('forbidden', message), signal)).toMatchObject({
      failure: { reason: 'admission-denied', message },
    })
  })

  it('does not blame the template if the controller has lost a right', () => {
    const message =
      'pods is forbidden: User "system:serviceaccount:ci:dayfly" cannot create resource "pods" in API group ""'
    const result = clusterUnsuccessful(new KubernetesError('forbidden', message), signal)
    expect(result).toMatchObject({ is: 'refused', failure: { reason: 'rights-missing', message } })
  })

  it('may have been carried out if the error says so', () => {
    const error = new KubernetesError('unavailable', 'reset', { perhapsDone: true })
    expect(clusterUnsuccessful(error, signal)).toMatchObject({ is: 'lost-answer' })
    expect(clusterUnsuccessful(new Error('unknown'), signal)).toMatchObject({ is: 'lost-answer' })
  })

  it('keeps the Retry-After of the server', () => {
    const error = new KubernetesError('rate-limited', 'slow down', { retryAt: 9_000 })
    expect(clusterUnsuccessful(error, signal)).toMatchObject({ retryAt: 9_000 })
  })

  it('is aborted when leadership has ended', () => {
    const aborted = AbortSignal.abort()
    expect(clusterUnsuccessful(new KubernetesError('invalid', 'x'), aborted)).toEqual({ is: 'aborted' })
    expect(forgeUnsuccessful(new PortError('github', 'conflict', 'x'), aborted)).toEqual({ is: 'aborted' })
  })
})

describe('a failed call of the forge', () => {
  it.each<[PortErrorKind, string, string]>([
    ['not-found', 'refused', 'scale-set-missing'],
    ['unauthorized', 'refused', 'forge-unauthorized'],
    ['rate-limited', 'refused', 'forge-limited'],
    ['bad-config', 'refused', 'forge-misconfigured'],
    ['conflict', 'lost-answer', 'registration-collides'],
    ['unavailable', 'lost-answer', 'forge-unreachable'],
    ['bad-response', 'lost-answer', 'forge-unreachable'],
  ])('%s is %s with the reason %s', (kind, is, reason) => {
    const error = new PortError('github', kind, 'GitHub’s sentence', { retryAt: 7_000 })
    const failure = { reason, message: 'GitHub’s sentence' }
    expect(forgeUnsuccessful(error, signal)).toEqual({ is, failure, retryAt: 7_000 })
  })

  it('has no reason of its own if the error is not the port’s', () => {
    expect(failureOfForge(new Error('x'))).toEqual({ reason: 'forge-unreachable', message: 'x' })
    expect(forgeUnsuccessful('x', signal)).toMatchObject({ is: 'lost-answer', failure: { message: 'x' } })
    expect(messageOf(7)).toBe('7')
  })
})
