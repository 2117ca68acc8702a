// Asks the API server which versions of a kind it serves and what the caller may do.
import { asJsonObject, type JsonObject } from '@dayfly/kit/read-json'
import { errorOfBadAnswer } from './refusal.ts'
import { type Connection, createSend, type Send } from './send.ts'
import type { Resource } from './types.ts'

/** One verb on one kind. If `namespace` is undefined, it means all namespaces. */
export type Access = {
  readonly verb: 'get' | 'list' | 'create' | 'patch' | 'delete'
  readonly resource: Resource
  readonly namespace: string | undefined
}

/** Each question rejects with a KubernetesError if its answer is unknown, or with the signal's reason. */
export interface Inquiry {
  /** Resolves with whether the caller has the permission, by a SelfSubjectAccessReview. */
  mayI(access: Access, signal?: AbortSignal): Promise<boolean>
  /** Resolves with the served versions of a kind, the preferred one first, by discovery. Resolves with none if the API server does not know the kind. */
  versionsOf(kind: Pick<Resource, 'group' | 'plural'>, signal?: AbortSignal): Promise<readonly string[]>
}

export function createInquiry(connection: Connection): Inquiry {
  const send = createSend(connection)
  return {
    mayI: (access, signal) => review(send, access, signal),
    versionsOf: (kind, signal) => versionsOf(send, kind, signal),
  }
}

const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'

async function review(send: Send, { verb, resource, namespace }: Access, signal?: AbortSignal): Promise<boolean> {
  const { group, plural } = resource
  const attributes = { verb, group, resource: plural, ...(namespace === undefined ? {} : { namespace }) }
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: attributes },
  }
  const answer = await send({ method: 'POST', path: reviews, body, signal })
  const status = answer.body.kind === 'json' ? asJsonObject(asJsonObject(answer.body.value)?.['status']) : undefined
  const allowed = status?.['allowed']
  if (typeof allowed !== 'boolean') throw errorOfBadAnswer('the access review has no result', false)
  // If the authorizer could not decide, treat its "no" as unknown.
  const failure = status?.['evaluationError']
  if (!allowed && status?.['denied'] !== true && typeof failure === 'string' && failure !== '')
    throw errorOfBadAnswer(`the access review could not be decided: ${failure.slice(0, 200)}`, false)
  return allowed
}

/** Reads the list of all groups, because a 404 for one group would be ambiguous: a wrong path or a proxy answers 404, too. */
async function versionsOf(
  send: Send,
  { group, plural }: Pick<Resource, 'group' | 'plural'>,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const base = group === '' ? '/api' : '/apis'
  const served: string[] = []
  for (const version of group === '' ? ['v1'] : await groupVersions(send, group, signal)) {
    const path = group === '' ? `${base}/${version}` : `${base}/${group}/${version}`
    const resources = listIn(await ask(send, path, signal), path, 'resources')
    if (resources.some((one) => one['name'] === plural)) served.push(version)
  }
  return served
}

async function groupVersions(send: Send, group: string, signal?: AbortSignal): Promise<readonly string[]> {
  const groups = listIn(await ask(send, '/apis', signal), '/apis', 'groups')
  const found = groups.find((one) => one['name'] === group)
  if (!found) return []
  const preferred = asJsonObject(found['preferredVersion'])?.['version']
  const versions = listIn(found, '/apis', 'versions').flatMap(({ version }) =>
    typeof version === 'string' ? version : [],
  )
  return [...new Set([...versions.filter((version) => version === preferred), ...versions])]
}

async function ask(send: Send, path: string, signal?: AbortSignal): Promise<JsonObject | undefined> {
  const { body } = await send({ method: 'GET', path, signal })
  return body.kind === 'json' ? asJsonObject(body.value) : undefined
}

function listIn(value: JsonObject | undefined, path: string, field: string): readonly JsonObject[] {
  const list = value?.[field]
  if (!Array.isArray(list)) throw errorOfBadAnswer(`${path}: the API server answered without ${field}`, false)
  return list.map(asJsonObject).filter((item) => item !== undefined)
}
