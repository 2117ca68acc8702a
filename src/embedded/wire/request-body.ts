// A request's body as an object of the kind its path names.
import { parse, YAMLParseError } from 'yaml'
import type { Request } from '../../lib/http.ts'
import { type ApiError, badRequest, unsupportedMediaType } from '../api/errors.ts'
import { isObject, type JsonObject } from '../api/json.ts'
import { apiVersionOf } from '../api/kinds.ts'
import { text } from './json.ts'
import { decodeProtobuf } from './protobuf/decode.ts'
import { WireError } from './protobuf/wire-reader.ts'
import type { ResourceRoute } from './route.ts'

const readable = ['application/json', 'application/yaml']

/** The object, or undefined where there is no body. Throws 400 for what cannot be read, 415 for other types than JSON and YAML. */
export function optionalObject(request: Request): JsonObject | undefined {
  const { body } = request
  if (body.kind === 'none') return undefined
  const type = mediaType(request) || 'application/json'
  if (!readable.includes(type)) throw unknownFormat(readable)
  const value = body.kind === 'json' ? body.value : body.kind === 'text' ? readText(body.text, type) : undefined
  if (!isObject(value)) throw badRequest('the request body is not an object')
  return value
}

/** The object to create or to replace by, with apiVersion, kind and namespace as the path has them. */
export function requiredObject(request: Request, route: ResourceRoute): JsonObject {
  const object = optionalObject(request)
  if (!object) throw badRequest('the request has no body: an object is required')
  const expected = { apiVersion: apiVersionOf(route.kind, route.version), kind: route.kind.kind }
  const { apiVersion = expected.apiVersion, kind = expected.kind } = object
  if (kind !== expected.kind) {
    throw badRequest(`${kind} in version "${apiVersion}" cannot be handled as a ${expected.kind}`)
  }
  if (apiVersion !== expected.apiVersion) {
    const versions = `(${apiVersion}) does not match the expected API version (${expected.apiVersion})`
    throw badRequest(`the API version in the data ${versions}`)
  }
  const metadata = object['metadata'] ?? {}
  if (!isObject(metadata)) throw badRequest('metadata is not an object')
  return { ...object, ...expected, metadata: inNamespace(metadata, route.namespace) }
}

/** Kubernetes' answer to a body it has no decoder for. */
export function unknownFormat(
  accepted: readonly string[],
  why = 'the body of the request was in an unknown format',
): ApiError {
  return unsupportedMediaType(`${why} - accepted media types include: ${accepted.join(', ')}`)
}

/** The request with its protobuf body as JSON; every other request as it is. Throws 400 for broken bytes, 415 for kinds that are read as JSON only. */
export async function readProtobuf(request: Request): Promise<Request> {
  const { body } = request
  if (body.kind !== 'bytes' || mediaType(request) !== 'application/vnd.kubernetes.protobuf') return request
  const chunks: Buffer[] = []
  for await (const chunk of body.chunks) chunks.push(Buffer.from(chunk))
  let value: JsonObject | undefined
  try {
    value = decodeProtobuf(Buffer.concat(chunks))
  } catch (error) {
    if (error instanceof WireError || error instanceof SyntaxError) {
      throw badRequest(`the request body is not Kubernetes protobuf: ${error.message}`)
    }
    throw error
  }
  if (!value) throw unknownFormat(readable)
  const headers = { ...request.headers, 'content-type': 'application/json' }
  return { ...request, headers, body: { kind: 'json', value } }
}

/** The Content-Type without its parameters, in lower case. */
export function mediaType(request: Request): string {
  return (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

function inNamespace(metadata: JsonObject, namespace: string | undefined): JsonObject {
  const own = text(metadata, 'namespace')
  if (namespace === undefined) return metadata
  if (own === '') return { ...metadata, namespace }
  if (own !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
  return metadata
}

function readText(source: string, type: string): unknown {
  if (type !== 'application/yaml') throw badRequest('the request body is not valid JSON')
  try {
    return parse(source)
  } catch (error) {
    if (error instanceof YAMLParseError) throw badRequest(`error converting YAML to JSON: ${error.message}`)
    // Nested beyond what the parser's recursion holds, or aliases that grow without end.
    if (error instanceof RangeError || error instanceof ReferenceError) {
      throw badRequest(`error converting YAML to JSON: ${error.message}`)
    }
    throw error
  }
}
