// Hostile requests to the API server, from a seed. `bytes` is the body as a client sends it.
import type { Method } from '@dayfly/kit/http'
import { type Random, randomInteger } from '@dayfly/kit/random'
import { hostileText, hostileValue, mutated, pathsOf, pick, type Sample, samples } from './fuzz-objects.fixture.ts'

export type FuzzRequest = {
  readonly method: Method
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
}

const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const
const contentTypes = [
  ...Object.values(patchTypes),
  ...['', ';;;', 'application/json', 'application/JSON; charset=utf-8', 'application/yaml', 'text/plain', 'text/html'],
  ...['application/vnd.kubernetes.protobuf', 'application/cbor', 'multipart/form-data', 'x'.repeat(200)],
]
const accepts = [
  ...['', '*/*', 'application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf', 'text/html', ',;q=x'],
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json',
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
]
const queryNames = [
  ...['watch', 'limit', 'continue', 'resourceVersion', 'resourceVersionMatch', 'sendInitialEvents', 'force'],
  ...['labelSelector', 'fieldSelector', 'dryRun', 'fieldValidation', 'fieldManager', 'includeObject', 'container'],
  ...['tailLines', 'sinceTime', 'sinceSeconds', 'limitBytes', 'follow', 'previous', 'timestamps', 'timeoutSeconds'],
  ...['allowWatchBookmarks', 'gracePeriodSeconds', 'propagationPolicy', 'orphanDependents', 'pretty', '__proto__'],
]
const queryValues = [
  ...['true', 'false', '1', '0', '-1', 'All', 'Exact', 'NotOlderThan', 'Strict', 'Ignore', 'Background', 'Orphan'],
  ...['Foreground', '5', '99999999999999', '9'.repeat(30), 'eyJ2IjoxfQ', 'metadata.name=a', 'status.phase!=Running'],
  ...['None', 'Object', '2026-01-01T00:00:00Z', 'app=a', 'app in (a,b)', 'app notin (', '!app', 'app>1', 'a=b,,c'],
]
const selectorParts = [
  'app',
  '=',
  '==',
  '!=',
  '!',
  ' in ',
  ' notin ',
  '(',
  ')',
  ',',
  'a',
  'x/y',
  '>',
  '<',
  '\\',
  '\u0000',
]
const subresources = ['status', 'log', 'binding', 'eviction', 'finalize', 'token', 'scale', 'exec', 'proxy', '%2e%2e']
const plain = ['/', '/api', '/apis', '/api/v1', '/apis/apps/v1', '/apis/fuzz.dev/v1', '/openapi/v3', '/openapi/v2']
const others = ['/openapi/v3/apis/apps/v1', '/openapi/v3/api/v1', '/version', '/healthz', '/readyz/x', '/metrics']
const methods: readonly Method[] = [
  'GET',
  'GET',
  'POST',
  'POST',
  'POST',
  'PUT',
  'PUT',
  'PATCH',
  'PATCH',
  'DELETE',
  'HEAD',
]

export function fuzzRequest(random: Random): FuzzRequest {
  const sample = pick(random, samples)
  const roll = random()
  if (roll < 0.22) return create(random, sample)
  if (roll < 0.34) return update(random, sample)
  if (roll < 0.56) return patch(random, sample)
  if (roll < 0.66) return read(random, sample)
  if (roll < 0.72) return { ...empty('DELETE', pathIn(random, sample)), query: randomQuery(random, 0.3) }
  if (roll < 0.8) return brokenBytes(random, sample)
  return anything(random, sample)
}

function empty(method: Method, path: string): FuzzRequest {
  return { method, path, query: {}, headers: {}, bytes: Buffer.alloc(0) }
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value) ?? 'null')
}

function create(random: Random, { at, object }: Sample): FuzzRequest {
  const headers = { 'content-type': 'application/json' }
  return { method: 'POST', path: at, query: randomQuery(random, 0.1), headers, bytes: json(mutated(random, object)) }
}

function update(random: Random, sample: Sample): FuzzRequest {
  const headers = { 'content-type': pick(random, ['application/json', 'application/yaml']) }
  const bytes = json(mutated(random, sample.object))
  return { method: 'PUT', path: pathIn(random, sample), query: randomQuery(random, 0.1), headers, bytes }
}

function patch(random: Random, sample: Sample): FuzzRequest {
  const type = pick(random, ['json', 'merge', 'strategic', 'apply'] as const)
  const body = type === 'json' ? operations(random, sample) : mutated(random, withDirectives(random, sample), 2)
  const query = type === 'apply' ? { fieldManager: pick(random, ['a', 'b', hostileText(random)]) } : {}
  const headers = { 'content-type': patchTypes[type] }
  const force: Readonly<Record<string, string>> = type === 'apply' && random() < 0.5 ? { force: 'true' } : {}
  const all = { ...query, ...force, ...randomQuery(random, 0.05) }
  return { method: 'PATCH', path: pathIn(random, sample), query: all, headers, bytes: json(body) }
}

function withDirectives(random: Random, { object }: Sample): unknown {
  const directives = ['$patch', '$retainKeys', '$setElementOrder/containers', '$deleteFromPrimitiveList/finalizers']
  const values = ['replace', 'delete', 'merge', 'x', ['spec'], [{ name: 'main' }], ['a'], null, 5]
  if (random() < 0.6) return object
  const spec = { ...(object['spec'] as object | undefined), [pick(random, directives)]: pick<unknown>(random, values) }
  return { ...object, ...(random() < 0.5 ? { spec } : { [pick(random, directives)]: pick<unknown>(random, values) }) }
}

function operations(random: Random, { object }: Sample): unknown {
  if (random() < 0.1) return hostileValue(random)
  const place = (): string => {
    const steps = pick(random, pathsOf(object)).map((step) => step.replaceAll('~', '~0').replaceAll('/', '~1'))
    const more = random() < 0.3 ? [pick(random, ['-', '0', '00', '-1', '99', '~', '~2', '', '__proto__', 'x'])] : []
    return random() < 0.03 ? hostileText(random) : [...(steps.length ? [''] : []), ...steps, ...more].join('/')
  }
  return Array.from({ length: randomInteger(random, 0, 6) }, () => ({
    op: pick(random, ['add', 'add', 'remove', 'replace', 'replace', 'move', 'copy', 'test', 'x']),
    path: place(),
    ...(random() < 0.4 ? { from: place() } : {}),
    ...(random() < 0.9 ? { value: hostileValue(random) } : {}),
  }))
}

function read(random: Random, sample: Sample): FuzzRequest {
  const path = random() < 0.6 ? sample.at : pathIn(random, sample)
  const watch: Readonly<Record<string, string>> = random() < 0.4 ? { watch: 'true' } : {}
  const headers = { accept: random() < 0.6 ? 'application/json' : pick(random, accepts) }
  return { ...empty('GET', path), headers, query: { ...watch, ...randomQuery(random, 0.6) } }
}

/** JSON that is cut, doubled, of other bytes, or deep. */
function brokenBytes(random: Random, sample: Sample): FuzzRequest {
  const good = json(mutated(random, sample.object))
  const headers = { 'content-type': pick(random, contentTypes), accept: pick(random, accepts) }
  const method = pick<Method>(random, ['POST', 'PUT', 'PATCH', 'DELETE'])
  const path = method === 'POST' ? sample.at : pathIn(random, sample)
  return { method, path, query: randomQuery(random, 0.2), headers, bytes: damaged(random, good) }
}

function damaged(random: Random, good: Buffer): Buffer {
  const noise = Buffer.from(Array.from({ length: randomInteger(random, 0, 60) }, () => randomInteger(random, 0, 255)))
  const deep = randomInteger(random, 1, 4_000)
  switch (randomInteger(random, 0, 6)) {
    case 0:
      return good.subarray(0, randomInteger(random, 0, good.length))
    case 1:
      return Buffer.concat([good, good])
    case 2:
      return noise
    case 3:
      return Buffer.concat([Buffer.from('k8s\0'), noise])
    case 4:
      return Buffer.from('['.repeat(deep) + (random() < 0.8 ? ']'.repeat(deep) : ''))
    case 5:
      return Buffer.from(`{"metadata":{"name":"a"},"spec":${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}}`)
    default: {
      const at = randomInteger(random, 0, good.length - 1)
      const copy = Buffer.from(good)
      copy[at] = randomInteger(random, 0, 255)
      return copy
    }
  }
}

function anything(random: Random, sample: Sample): FuzzRequest {
  const headers: Record<string, string> = { 'content-type': pick(random, contentTypes), accept: pick(random, accepts) }
  if (random() < 0.1)
    headers['impersonate-user'] = pick(random, ['guest', 'system:serviceaccount:ci:a', hostileText(random)])
  if (random() < 0.05) headers['impersonate-group'] = hostileText(random)
  if (random() < 0.05) headers['user-agent'] = hostileText(random)
  const path = random() < 0.4 ? pick(random, [...plain, ...others]) : oddPath(random, sample)
  const bytes = random() < 0.5 ? json(hostileValue(random)) : Buffer.alloc(0)
  return { method: pick(random, methods), path, query: randomQuery(random, 0.3), headers, bytes }
}

function pathIn(random: Random, { at, object }: Sample): string {
  const name = (object['metadata'] as { readonly name: string }).name
  const one = `${at}/${random() < 0.9 ? name : encode(hostileText(random))}`
  return random() < 0.25 ? `${one}/${pick(random, subresources)}` : one
}

function oddPath(random: Random, { at }: Sample): string {
  const parts = at.split('/')
  const index = randomInteger(random, 1, parts.length)
  const odd = pick(random, ['', '.', '..', '%2f', '%zz', '%', '%c0%ae', '*', encode(hostileText(random))])
  if (random() < 0.5) parts[index] = odd
  else parts.splice(index, 0, odd)
  return parts.join('/') || '/'
}

/** Half of a surrogate pair cannot be percent-encoded. */
function encode(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString())
}

function randomQuery(random: Random, share: number): Readonly<Record<string, string>> {
  if (random() >= share) return {}
  const entries = Array.from({ length: randomInteger(random, 1, 4) }, () => {
    const name = pick(random, queryNames)
    return [name, name.endsWith('Selector') && random() < 0.7 ? selectorOf(random) : queryValue(random)] as const
  })
  return Object.fromEntries(entries)
}

function queryValue(random: Random): string {
  return random() < 0.2 ? hostileText(random).slice(0, 2_000) : pick(random, queryValues)
}

function selectorOf(random: Random): string {
  return Array.from({ length: randomInteger(random, 0, 12) }, () => pick(random, selectorParts)).join('')
}
