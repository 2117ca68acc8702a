// Reads a list in pages of one consistent snapshot. The server keeps a snapshot for about five minutes.
import type { ListOptions } from './kubernetes.ts'
import { parseList, parseObject } from './parse.ts'
import { collectionPath } from './path.ts'
import { errorOfBadAnswer } from './refusal.ts'
import type { Send } from './send.ts'
import type { KubeObject, Resource } from './types.ts'

export type Page = { readonly items: readonly KubeObject[]; readonly resourceVersion: string }

export type PageOptions = ListOptions & { readonly unread?: readonly string[] | undefined }

/** Asks for metadata only, and for whole objects from a server without that representation. */
const metadataList = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;q=0.5'

/** The default number of objects in a page. Kubernetes' own clients use the same number. */
const pageSizeDefault = 500

/** Yields all pages. The list is complete only if the iteration ends without a KubernetesError. After `expired`, start again. */
export async function* readPages(send: Send, resource: Resource, options: PageOptions): AsyncGenerator<Page> {
  const path = collectionPath(resource, options.namespace)
  let next = ''
  do {
    const query = {
      ...selectorQuery(options),
      limit: String(options.pageSize ?? pageSizeDefault),
      ...(next === '' ? {} : { continue: next }),
    }
    const { unread, signal } = options
    const accept = options.metadataOnly ? metadataList : undefined
    const answer = await send({ method: 'GET', path, query, accept, unread, signal })
    const list = answer.body.kind === 'json' ? parseList(answer.body.value) : undefined
    if (!list) throw errorOfBadAnswer(`${path}: the API server answered ${answer.status} without a list`, false)
    const items = list.items.map((item) => {
      const object = parseObject(item, resource)
      if (!object) throw errorOfBadAnswer(`${path}: the list holds an object without a name`, false)
      return object
    })
    yield { items, resourceVersion: list.resourceVersion }
    next = list.next
  } while (next !== '')
}

/** Returns the query parameters for the selectors of a list or a watch. */
export function selectorQuery(options: Pick<ListOptions, 'labelSelector' | 'fieldSelector'>): Record<string, string> {
  return {
    ...(options.labelSelector ? { labelSelector: options.labelSelector } : {}),
    ...(options.fieldSelector ? { fieldSelector: options.fieldSelector } : {}),
  }
}
