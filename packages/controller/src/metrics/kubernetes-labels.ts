// The labels of a request to the API server: its verb and its resource, by the conventions of the API
// (https://kubernetes.io/docs/reference/using-api/api-concepts/).
import type { Request } from '@dayfly/kit/http'
import {
  costLabelRights,
  dashboardRights,
  jobLogRights,
  jobPodRights,
  leaseRights,
  runnerRights,
  usageRights,
} from '../rights.ts'

/** The resources that the controller has rights to. Any other one is counted as `other`. */
const resources: ReadonlySet<string> = new Set(
  [
    ...runnerRights,
    ...usageRights,
    ...jobLogRights,
    ...jobPodRights,
    ...costLabelRights,
    ...dashboardRights,
    ...leaseRights,
  ].map(({ resource: { plural }, subresource }) => joined(plural, subresource)),
)

export function kubernetesLabels({ method, path, query }: Request): {
  readonly verb: string
  readonly resource: string
} {
  const { resource, name, subresource } = parse(path)
  const known = joined(resource, subresource)
  return { verb: verbOf(method, name !== undefined, query), resource: resources.has(known) ? known : 'other' }
}

function joined(resource: string, subresource: string | undefined): string {
  return subresource === undefined ? resource : `${resource}/${subresource}`
}

/** Finds the resource behind any prefix of a proxy: `/api/v1/…` or `/apis/GROUP/VERSION/…`, with or without a namespace. */
function parse(path: string): { resource: string; name: string | undefined; subresource: string | undefined } {
  const [, rest = ''] = /\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)\/(.*)$/.exec(path) ?? []
  const parts = rest.split('/')
  const [resource = '', name, subresource] = parts[0] === 'namespaces' && parts.length > 2 ? parts.slice(2) : parts
  return { resource, name, subresource }
}

function verbOf(method: Request['method'], named: boolean, query: Request['query']): string {
  switch (method) {
    case 'POST':
      return 'create'
    case 'PUT':
      return 'update'
    case 'PATCH':
      return 'patch'
    case 'DELETE':
      return named ? 'delete' : 'deletecollection'
    default:
      return named ? 'get' : query['watch'] === undefined ? 'list' : 'watch'
  }
}
