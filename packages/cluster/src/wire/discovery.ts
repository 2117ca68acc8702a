// Discovery: the served kinds, in one aggregated document (v2) or in the older separate documents, and the version.
import { createHash } from 'node:crypto'
import { type Answer, jsonAnswer, noBody, type Request } from '@dayfly/kit/http'
import type { Profile } from '../api/api.ts'
import { noSuchResource } from '../api/errors.ts'
import type { Kind, Kinds, Subresource } from '../api/kind.ts'
import { type Group, groupsOf, subresourceVerbs } from './group-versions.ts'
import { negotiate } from './negotiation.ts'

const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

/**
 * Answers `/api`, `/apis`, `/api/v1`, `/apis/GROUP` and `/apis/GROUP/VERSION`. Throws a 404 for a version or path that
 * is not served. Returns undefined for an unknown group.
 */
export function discoveryAnswer(request: Request, kinds: Kinds): Answer | undefined {
  const [root, ...rest] = request.path.slice(1).replace(/\/$/, '').split('/')
  const core = root === 'api'
  const groups = groupsOf(kinds).filter((group) => (group.name === '') === core)
  if (rest.length === 0) return rootAnswer(request, groups, core)
  const group = core ? groups[0] : groups.find(({ name }) => name === rest[0])
  if (!group) return undefined
  const [version, ...below] = core ? rest : rest.slice(1)
  if (below.length > 0) throw noSuchResource()
  if (version !== undefined) return jsonAnswer(200, resourceList(group, version))
  return jsonAnswer(200, { kind: 'APIGroup', apiVersion: 'v1', ...groupSummary(group) })
}

function rootAnswer(request: Request, groups: readonly Group[], core: boolean): Answer {
  if (negotiate(request.headers['accept'], ['json', 'discovery']) === 'discovery') {
    const items = groups.map(groupDiscovery)
    const document = { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items }
    return cacheableAnswer(request, document, aggregatedType)
  }
  if (core) {
    return jsonAnswer(200, { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] })
  }
  return jsonAnswer(200, { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(groupSummary) })
}

/** Answers with an ETag, so that clients can cache the document until it changes. */
export function cacheableAnswer(request: Request, document: object, type: string): Answer {
  const etag = `"${createHash('sha256').update(JSON.stringify(document)).digest('hex').toUpperCase()}"`
  const headers = { etag, vary: 'Accept', 'cache-control': 'public' }
  if (request.headers['if-none-match'] === etag) return { status: 304, headers, body: noBody }
  return jsonAnswer(200, document, { ...headers, 'content-type': type })
}

function groupSummary(group: Group): object {
  const versions = group.versions.map(({ version }) => ({ groupVersion: `${group.name}/${version}`, version }))
  return { name: group.name, versions, preferredVersion: versions[0] }
}

function groupDiscovery(group: Group): object {
  const versions = group.versions.map(({ version, kinds }) => ({
    version,
    resources: kinds.map((kind) => resourceDiscovery(kind, version)),
    freshness: 'Current',
  }))
  return { metadata: group.name === '' ? {} : { name: group.name }, versions }
}

function resourceDiscovery(kind: Kind, version: string): object {
  const subresources = kind.subresources.map((subresource) => ({
    subresource,
    responseKind: responseKind(kind, version, subresource),
    verbs: subresourceVerbs[subresource],
  }))
  return {
    resource: kind.plural,
    responseKind: responseKind(kind, version),
    scope: kind.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: kind.singular,
    verbs: kind.verbs,
    ...names(kind),
    ...(subresources.length === 0 ? {} : { subresources }),
  }
}

/** The kinds of subresources that are not the kind itself. */
const subresourceKinds: {
  readonly [Name in Subresource]?: { readonly group: string; readonly version: string; readonly kind: string }
} = {
  binding: { group: '', version: '', kind: 'Binding' },
  exec: { group: '', version: '', kind: 'PodExecOptions' },
  eviction: { group: 'policy', version: 'v1', kind: 'Eviction' },
  scale: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
  token: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' },
}

/** Built-in kinds leave group and version empty: the surrounding document has them. */
function responseKind(kind: Kind, version: string, subresource?: Subresource): object {
  const other = subresource && subresourceKinds[subresource]
  if (other) return other
  const where = kind.custom ? { group: kind.group, version } : { group: '', version: '' }
  return { ...where, kind: kind.kind }
}

function names(kind: Kind): { readonly shortNames?: readonly string[]; readonly categories?: readonly string[] } {
  const { shortNames, categories } = kind
  return { ...(shortNames.length === 0 ? {} : { shortNames }), ...(categories.length === 0 ? {} : { categories }) }
}

function resourceList(group: Group, version: string): object {
  const found = group.versions.find((one) => one.version === version)
  if (!found) throw noSuchResource()
  const resources = found.kinds.flatMap((kind) => [
    {
      name: kind.plural,
      singularName: kind.singular,
      namespaced: kind.namespaced,
      kind: kind.kind,
      verbs: kind.verbs,
      ...names(kind),
    },
    ...kind.subresources.map((subresource) => ({
      name: `${kind.plural}/${subresource}`,
      singularName: '',
      namespaced: kind.namespaced,
      ...listedKind(kind, subresource),
      verbs: subresourceVerbs[subresource],
    })),
  ])
  const groupVersion = group.name === '' ? found.version : `${group.name}/${found.version}`
  // The core group's document has no apiVersion, as in Kubernetes.
  const apiVersion = group.name === '' ? {} : { apiVersion: 'v1' }
  return { kind: 'APIResourceList', ...apiVersion, groupVersion, resources }
}

/** Kinds of the core group are listed by name alone. */
function listedKind(kind: Kind, subresource: Subresource): object {
  const other = subresourceKinds[subresource] ?? { group: '', kind: kind.kind }
  return other.group === '' ? { kind: other.kind } : other
}

/** Returns the answer to /version. Clients parse gitVersion as a semantic version; its build metadata names this server. */
export function versionInfo(profile: Profile): object {
  const [major = '', minor = ''] = profile.split('.')
  return {
    major,
    minor,
    gitVersion: `v${profile}.0+dayfly`,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: '',
    platform: 'embedded',
  }
}
