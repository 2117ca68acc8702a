// The client's verbs over a transport. They build paths and options, and return objects or typed errors. Retries are in send.ts.
import { adaptiveLimit } from '@dayfly/kit/adaptive-limit'
import type { WidthPolicy } from '@dayfly/kit/adaptive-width'
import { backoffMs } from '@dayfly/kit/backoff'
import type { Answer } from '@dayfly/kit/http'
import { limit } from '@dayfly/kit/queue'
import { asJsonObject } from '@dayfly/kit/read-json'
import { KubernetesError } from './errors.ts'
import type { DeleteOptions, Kubernetes, ListOptions, Patch, WriteOptions, Written } from './kubernetes.ts'
import { readPages } from './pages.ts'
import { parseObject, parseStatus } from './parse.ts'
import { collectionPath, objectPath } from './path.ts'
import { errorOfBadAnswer } from './refusal.ts'
import { type Call, type Connection, createSend, type Send } from './send.ts'
import type { KubeObject, Resource } from './types.ts'

/** The maximum number of concurrent requests of each class. Separate limits let a lease be renewed during lists and bursts of creates. */
export const concurrency = { read: 8, lease: 2, writesMax: 128 }
/** The width of writes follows the server: a webhook makes each write slow and needs a larger one, a busy server needs a smaller one (docs/guide/scale.md). */
const writePolicy: WidthPolicy = {
  start: 32,
  least: 4,
  most: concurrency.writesMax,
  waitingLow: 24,
  waitingHigh: 48,
}
/** Asks for the metadata of one object, and for the whole object from a server without that representation. */
const metadataOnly = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json;q=0.5'
const listAttemptsMax = 5
const listBackoff = { baseMs: 500, capMs: 5_000 }

/** Creates the client on a transport. The default of `userAgent` is `dayfly`. */
export function createKubernetes(connection: Connection): Kubernetes {
  const send = boundedSend(connection)
  return {
    get: async (resource, at, options = {}) => {
      const call = {
        method: 'GET',
        path: objectPath(resource, at),
        signal: options.signal,
        ...answerOf(options),
      } as const
      const answer = await send(resource, call)
      return objectOf(answer, resource, false)
    },
    list: (resource, options = {}) => listAll((call) => send(resource, call), connection, resource, options),
    create: async (resource, object, options = {}) => {
      const path = collectionPath(resource, object.metadata.namespace)
      return written(await send(resource, { method: 'POST', path, body: object, ...writeCall(options) }), resource)
    },
    replace: async (resource, object, options = {}) => {
      const path = objectPath(resource, object.metadata)
      return written(await send(resource, { method: 'PUT', path, body: object, ...writeCall(options) }), resource)
    },
    patch: async (resource, at, patch, options = {}) => {
      const path = objectPath(resource, at, options.subresource)
      const call = { method: 'PATCH', path, ...patchBody(patch), ...writeCall(options) } as const
      return written(await send(resource, call), resource)
    },
    delete: async (resource, at, options = {}) => {
      const { signal, allowed } = options
      const path = objectPath(resource, at)
      const call = {
        method: 'DELETE',
        path,
        body: deleteBody(options),
        ...answerOf(options),
        signal,
        allowed,
      } as const
      try {
        const answer = await send(resource, call)
        return isDeleting(answer) ? 'deleting' : 'deleted'
      } catch (error) {
        if (error instanceof KubernetesError && error.kind === 'not-found' && error.about === at.name) return 'absent'
        throw error
      }
    },
  }
}

/** Limits each class of requests separately. */
function boundedSend(connection: Connection): (resource: Resource, call: Call) => Promise<Answer> {
  const send = createSend(connection)
  const reads = limit(concurrency.read)
  const renewals = limit(concurrency.lease)
  const writes = adaptiveLimit(writePolicy, connection.clock)
  return (resource, call) => {
    if (resource.plural === 'leases') return renewals(() => send(call))
    if (call.method === 'GET') return reads(() => send(call))
    return send(call, (attempt) => writes(`${call.method} ${resource.plural}`, attempt, call.first))
  }
}

/** Reads all pages. Starts again if the snapshot expires in between, because pages of two snapshots must not be mixed. */
async function listAll(send: Send, { clock, random }: Connection, resource: Resource, options: ListOptions) {
  for (let attempt = 1; ; attempt++) {
    try {
      const items: KubeObject[] = []
      let resourceVersion = ''
      for await (const page of readPages(send, resource, options)) {
        for (const item of page.items) {
          const kept = options.keep ? options.keep(item) : item
          if (kept) items.push(kept)
        }
        resourceVersion = page.resourceVersion
      }
      return { items, resourceVersion }
    } catch (error) {
      const expired = error instanceof KubernetesError && error.kind === 'expired'
      if (!expired || attempt >= listAttemptsMax) throw error
      await clock.sleep(backoffMs(listBackoff, attempt, random), options.signal)
    }
  }
}

function writeCall(options: WriteOptions): Pick<Call, 'query' | 'accept' | 'signal' | 'allowed' | 'first'> {
  const { dryRun, fieldManager, fieldValidation, signal, allowed, first = false } = options
  const query = {
    ...(dryRun ? { dryRun: 'All' } : {}),
    ...(fieldManager ? { fieldManager } : {}),
    ...(fieldValidation ? { fieldValidation } : {}),
  }
  return { query, ...answerOf(options), signal, allowed, first }
}

/** Asks for as much of the answer as the caller reads. */
function answerOf(options: Pick<WriteOptions, 'metadataOnly'>): Pick<Call, 'accept'> {
  return options.metadataOnly ? { accept: metadataOnly } : {}
}

function patchBody(patch: Patch): Pick<Call, 'body' | 'contentType'> {
  return patch.type === 'merge'
    ? { body: patch.body, contentType: 'application/merge-patch+json' }
    : { body: patch.operations, contentType: 'application/json-patch+json' }
}

/** Puts every option into the body, because the server ignores options in the query if there is a body (docs/reference/experiments.md#e5). */
function deleteBody({ preconditions, gracePeriodSeconds, propagationPolicy, dryRun }: DeleteOptions): object {
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    ...(preconditions ? { preconditions } : {}),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy ? { propagationPolicy } : {}),
    ...(dryRun ? { dryRun: ['All'] } : {}),
  }
}

function written(answer: Answer, resource: Resource): Written {
  return { object: objectOf(answer, resource, true), warnings: warningsOf(answer.headers['warning'] ?? '') }
}

function objectOf(answer: Answer, resource: Resource, write: boolean): KubeObject {
  const object = answer.body.kind === 'json' ? parseObject(answer.body.value, resource) : undefined
  if (!object) throw errorOfBadAnswer(`the API server answered ${answer.status} without a ${resource.kind}`, write)
  return object
}

/** Returns whether the object still exists. A pod that was deleted immediately has a deletionTimestamp, too, but with a grace of 0. */
function isDeleting(answer: Answer): boolean {
  const value = answer.body.kind === 'json' ? answer.body.value : undefined
  if (parseStatus(value)) return false
  const object = asJsonObject(value)
  const metadata = asJsonObject(object?.['metadata'])
  const grace = metadata?.['deletionGracePeriodSeconds']
  const finalizers = [metadata?.['finalizers'], asJsonObject(object?.['spec'])?.['finalizers']]
  if (metadata?.['deletionTimestamp'] === undefined) return false
  return (typeof grace === 'number' && grace > 0) || finalizers.some((list) => Array.isArray(list) && list.length > 0)
}

/** Parses `299 - "text", 299 - "text"`. The texts are quoted strings with backslash escapes (RFC 9110). */
function warningsOf(header: string): string[] {
  const warnings: string[] = []
  for (const [, quoted = ''] of header.matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)) {
    warnings.push(quoted.replace(/\\(.)/g, '$1'))
  }
  return warnings
}
