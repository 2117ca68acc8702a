// POST serviceaccounts/NAME/token: issues a token of a service account.
// Source: https://github.com/kubernetes/kubernetes/blob/release-1.36/pkg/registry/core/serviceaccount/storage/token.go
import { type Answer, jsonAnswer } from '@dayfly/kit/http'
import { timestamp } from '@dayfly/kit/timestamp'
import { conflict, invalid, notFound } from '../api/errors.ts'
import { type FieldError, invalidValue, notSupported } from '../api/values/field-error.ts'
import { field, integer, isObject, list, text } from '../api/values/json.ts'
import type { Call } from './call.ts'
import { optionalObject } from './request-body.ts'

const defaultSeconds = 3600
const secondsMin = 600
const secondsMax = 2 ** 32

export function tokenAnswer({ backend, request, route }: Call): Answer {
  const { namespace = '', name } = route
  const body = optionalObject(request, 'TokenRequest') ?? {}
  const asked = field(body, 'spec', 'expirationSeconds')
  const seconds = asked === undefined ? defaultSeconds : integer(body, 'spec', 'expirationSeconds')
  const errors = secondsErrors(seconds)
  if (errors.length > 0) {
    throw invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, '', errors)
  }
  const audiences = list(body, 'spec', 'audiences').filter((audience) => typeof audience === 'string')
  const pod = boundPod(backend.registry, namespace, field(body, 'spec', 'boundObjectRef'))
  const wanted = audiences.length === 0 ? undefined : audiences
  const issued = backend.tokens?.issue({ namespace, account: name, audiences: wanted, seconds, pod })
  if (issued === undefined) throw notFound(route.kind, name)
  const expirationTimestamp = timestamp(issued.expires ?? backend.clock.now())
  return jsonAnswer(201, {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name, namespace, creationTimestamp: timestamp(backend.clock.now()) },
    spec: { ...(isObject(body['spec']) ? body['spec'] : {}), expirationSeconds: seconds },
    status: { token: issued.token, expirationTimestamp },
  })
}

function secondsErrors(seconds: number): readonly FieldError[] {
  const at = 'spec.expirationSeconds'
  if (seconds < secondsMin) return [invalidValue(at, seconds, 'may not specify a duration less than 10 minutes')]
  if (seconds > secondsMax) return [invalidValue(at, seconds, 'may not specify a duration larger than 2^32 seconds')]
  return []
}

function boundPod(registry: Call['backend']['registry'], namespace: string, bound: unknown) {
  if (!isObject(bound)) return undefined
  const [kind, name, uid] = [text(bound, 'kind'), text(bound, 'name'), text(bound, 'uid')]
  if (kind !== 'Pod') {
    const error = notSupported('spec.boundObjectRef.kind', kind, ['Pod'])
    throw invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, '', [error])
  }
  const found = registry.get('pods', namespace, name)
  if (found === undefined) throw notFound({ group: '', plural: 'pods', kind: 'Pod' }, name)
  const known = found.metadata.uid
  if (uid !== '' && uid !== known) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`
    throw conflict({ group: '', kind: 'pods' }, name, why)
  }
  return { name, uid: known }
}
