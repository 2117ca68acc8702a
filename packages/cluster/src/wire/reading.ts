// The verbs that change nothing: get, list, watch.
import { type Answer, jsonAnswer } from '@dayfly/kit/http'
import { channel } from '@dayfly/kit/queue'
import { type ApiError, notFound } from '../api/errors.ts'
import { apiVersionOf } from '../api/kind.ts'
import { asRead } from '../api/kinds/as-read.ts'
import type { PageOptions } from '../api/registry.ts'
import { parseSelectors } from '../api/verbs/selectors.ts'
import type { StoredObject } from '../store/object.ts'
import { type Call, listObject, metadataOf, notAList, objectAnswer, tableMaker } from './call.ts'
import { type ListOptions, listOptions, resourceVersionOf, tooLargeRevision } from './list-options.ts'
import { notAcceptable } from './negotiation.ts'
import { tableBookmark } from './table/table.ts'
import { type Watch, type WatchEvent, watchEvents } from './watch.ts'

export function getAnswer(call: Call): Answer {
  const { route, backend, request } = call
  const asked = resourceVersionOf(request.query) ?? 0
  if (asked > backend.registry.revision()) throw tooLargeRevision(asked, backend.registry.revision())
  const object = backend.registry.get(route.kind.resource, route.namespace, route.name)
  if (!object) throw notFound(route.kind, route.name)
  return objectAnswer(call, 200, object)
}

export function listAnswer(call: Call): Answer {
  const { route, backend, request, accepted } = call
  const page = backend.registry.page(route.kind.resource, pageOptions(call, listOptions(request.query, 'list')))
  const metadata = {
    resourceVersion: String(page.revision),
    ...(page.continue === undefined ? {} : { continue: page.continue }),
    ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }),
  }
  if (accepted === 'metadata') {
    throw notAcceptable('you requested PartialObjectMetadata, but the requested object is a list')
  }
  if (accepted === 'metadata-list') {
    const items = page.items.map(metadataOf)
    return jsonAnswer(200, { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata, items })
  }
  if (accepted === 'table') return jsonAnswer(200, tableMaker(call)(page.items, metadata, true))
  return jsonAnswer(200, listObject(route, page.items, metadata))
}

function pageOptions({ route, backend }: Call, options: ListOptions): PageOptions {
  const { labelSelector, fieldSelector, limit } = options
  const asked = options.resourceVersion ?? 0
  if (asked > backend.registry.revision()) throw tooLargeRevision(asked, backend.registry.revision())
  return {
    namespace: route.namespace,
    labelSelector,
    fieldSelector,
    limit,
    continue: options.continue,
    exactly: options.match === 'Exact' ? asked : undefined,
  }
}

export function watchAnswer(call: Call): Answer {
  const { route, backend, request } = call
  const options = listOptions(request.query, 'watch')
  const asked = options.resourceVersion ?? 0
  const { revision } = backend.registry
  if (options.match === 'NotOlderThan' && asked > revision()) return refusedWatch(tooLargeRevision(asked, revision()))
  const watch: Watch = {
    resource: route.kind.resource,
    namespace: route.namespace,
    matches: parseSelectors(route.kind, options) ?? (() => true),
    start: startOf(options),
    marksInitialEnd: options.sendInitialEvents === true && options.allowWatchBookmarks,
    bookmarks: options.allowWatchBookmarks,
    timeoutMs: timeoutMs(options, backend.random),
    ...shapesOf(call),
  }
  return eventsAnswer(watchEvents(backend, watch, request.signal))
}

/** Reports the error in the stream, as Kubernetes does for watches. */
function refusedWatch({ status }: ApiError): Answer {
  const events = channel<WatchEvent>()
  events.push({ type: 'ERROR', object: status })
  events.close()
  return eventsAnswer(events)
}

function eventsAnswer(items: AsyncIterable<WatchEvent>): Answer {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: { kind: 'events', items } }
}

/** Returns where the watch starts. Without a resourceVersion, or with 0, it starts with the current objects. */
function startOf(options: ListOptions): Watch['start'] {
  const { sendInitialEvents, resourceVersion = 0 } = options
  if (sendInitialEvents === true) return 'initial'
  if (resourceVersion > 0) return resourceVersion
  return sendInitialEvents === false ? 'now' : 'initial'
}

/**
 * Returns the client's timeout, or a random one between 30 and 60 minutes, so that watches do not all end together.
 */
function timeoutMs(options: ListOptions, random: () => number): number {
  if (options.timeoutSeconds !== undefined && options.timeoutSeconds > 0) return options.timeoutSeconds * 1000
  return (1 + random()) * 1_800_000
}

function shapesOf(call: Call): Pick<Watch, 'shape' | 'bookmark'> {
  const { kind, version } = call.route
  const apiVersion = apiVersionOf(kind, version)
  if (call.accepted === 'json') {
    return {
      shape: (object) => asRead(object, kind, version),
      bookmark: (metadata) => ({ kind: kind.kind, apiVersion, metadata }),
    }
  }
  if (call.accepted === 'metadata') return { shape: metadataOf, bookmark: (metadata) => metadataOf({ metadata }) }
  if (call.accepted === 'metadata-list') throw notAcceptable(notAList)
  const table = tableMaker(call)
  let first = true
  const shape = (object: StoredObject): object => {
    const { resourceVersion } = object.metadata
    const shaped = table([asRead(object, kind, version)], { resourceVersion }, first)
    first = false
    return shaped
  }
  return { shape, bookmark: tableBookmark }
}
