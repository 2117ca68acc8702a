// Asks the API server who a token belongs to, and what that user may do.
import { asJsonObject, type JsonObject } from '@dayfly/kit/read-json'
import type { Access } from './inquiry.ts'
import { errorOfBadAnswer } from './refusal.ts'
import { type Connection, createSend, type Send } from './send.ts'
import type { Resource } from './types.ts'

export const tokenReviews: Resource = {
  ...{ group: 'authentication.k8s.io', version: 'v1', plural: 'tokenreviews', kind: 'TokenReview', namespaced: false },
}
export const accessReviews: Resource = {
  ...{ group: 'authorization.k8s.io', version: 'v1', plural: 'subjectaccessreviews' },
  ...{ kind: 'SubjectAccessReview', namespaced: false },
}

/** A user as the API server knows it. */
export type User = {
  readonly username: string
  readonly groups: readonly string[]
  readonly uid?: string
  readonly extra?: JsonObject
}

/** Each question rejects with a KubernetesError if its answer is unknown. */
export interface IdentityCheck {
  /** Resolves with undefined for a token that is not valid. */
  userOf(token: string): Promise<User | undefined>
  /** Resolves with whether the user has the permission. */
  may(user: User, access: Access): Promise<boolean>
}

/** The connection's own user needs to create TokenReviews and SubjectAccessReviews. */
export function createIdentityCheck(connection: Connection): IdentityCheck {
  const send = createSend(connection)
  return {
    userOf: async (token) => {
      const status = await reviewed(send, tokenReviews, { token })
      const user = asJsonObject(status['user'])
      return status['authenticated'] === true && user ? readUser(user) : undefined
    },
    may: async ({ username, groups, uid, extra }, { verb, resource, namespace }) => {
      const resourceAttributes = {
        verb,
        group: resource.group,
        resource: resource.plural,
        ...(namespace && { namespace }),
      }
      const who = { user: username, groups, ...(uid && { uid }), ...(extra && { extra }) }
      const spec = { ...who, resourceAttributes }
      const { allowed } = await reviewed(send, accessReviews, spec)
      if (typeof allowed !== 'boolean') throw errorOfBadAnswer('the access review has no result', false)
      return allowed
    },
  }
}

async function reviewed(send: Send, { group, version, plural, kind }: Resource, spec: object): Promise<JsonObject> {
  const apiVersion = `${group}/${version}`
  const answer = await send({ method: 'POST', path: `/apis/${apiVersion}/${plural}`, body: { apiVersion, kind, spec } })
  const status = answer.body.kind === 'json' ? asJsonObject(asJsonObject(answer.body.value)?.['status']) : undefined
  if (!status) throw errorOfBadAnswer(`the ${kind} has no result`, false)
  return status
}

function readUser(user: JsonObject): User | undefined {
  const { username, groups, uid, extra: more } = user
  if (typeof username !== 'string' || username === '') return undefined
  const extra = asJsonObject(more)
  return {
    username,
    groups: Array.isArray(groups) ? groups.filter((group) => typeof group === 'string') : [],
    ...(typeof uid === 'string' ? { uid } : {}),
    ...(extra ? { extra } : {}),
  }
}
