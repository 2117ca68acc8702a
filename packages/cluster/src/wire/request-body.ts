// Reads the body of a request as an object of the kind in its path.
import type { Request } from '@dayfly/kit/http'
import { type ApiError, badRequest, unsupportedMediaType } from '../api/errors.ts'
import { apiVersionOf } from '../api/kind.ts'
import { isObject, type JsonObject, text } from '../api/values/json.ts'
import { refuseHuge } from '../api/verbs/bounds.ts'
import { decodeProtobuf } from './protobuf/decode.ts'
import { WireError } from './protobuf/wire-reader.ts'
import type { ResourceRoute } from './route.ts'
import { readYaml, YamlError } from './yaml-body.ts'

const readable = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']

/**
 * Returns the object, or undefined without a body. Throws a 400 if the body cannot be read, and a 415 for an
 * unsupported type.
 * @param what the expected kind, for the message.
 */
export function optionalObject(request: Request, what: string): JsonObject | undefined {
  const { body } = request
  if (body.kind === 'none') return undefined
  const type = mediaType(request) || 'application/json'
  if (!readable.includes(type)) throw unknownFormat(readable)
  const value = body.kind === 'json' ? body.value : body.kind === 'text' ? readText(body.text, type, what) : undefined
  if (!isObject(value)) throw unrecognized(what, 'the body is not an object')
  return value
}

/**
 * Returns the object to create or to replace with. Fills in apiVersion, kind and namespace from the path if they are
 * missing. Custom resources must name their kind.
 */
export function requiredObject(request: Request, { kind, version, namespace }: ResourceRoute): JsonObject {
  const object = optionalObject(request, kind.kind)
  if (!object) throw unrecognized(kind.kind, 'unexpected end of JSON input (<empty>)')
  const prefix = `the object provided is unrecognized (must be of type ${kind.kind})`
  refuseHuge(kind, object, { write: { client: { name: '', version } }, prefix })
  if (kind.custom && object['kind'] === undefined) {
    throw unrecognized(kind.kind, `Object 'Kind' is missing in '${JSON.stringify(object).slice(0, 200)}'`)
  }
  const expected = apiVersionOf(kind, version)
  const { apiVersion = expected, metadata = {} } = object
  const named = { kind: kind.kind, ...object, apiVersion }
  // The body names another version of the same kind. The registry reports an apiVersion that is not one of its
  // versions.
  if (apiVersion !== expected && kind.versions.some(({ name }) => apiVersionOf(kind, name) === apiVersion)) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    )
  }
  return isObject(metadata) ? { ...named, metadata: inNamespace(metadata, namespace) } : named
}

/** 415: the server has no decoder for this body. */
export function unknownFormat(
  accepted: readonly string[],
  why = 'the body of the request was in an unknown format',
): ApiError {
  return unsupportedMediaType(`${why} - accepted media types include: ${accepted.join(', ')}`)
}

/**
 * Converts a protobuf body into JSON and returns all other requests unchanged. Throws a 400 for malformed bytes, and a
 * 415 for kinds that the server reads as JSON only.
 */
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

/** Returns the Content-Type without parameters, in lower case. */
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

function readText(source: string, type: string, what: string): unknown {
  if (type !== 'application/yaml')
    throw unrecognized(what, `couldn't get version/kind; json parse error: the body is not valid JSON`)
  try {
    return readYaml(source)
  } catch (error) {
    throw error instanceof YamlError ? unrecognized(what, `yaml: ${error.message}`) : error
  }
}

/** Returns the configuration of a server-side apply, which may be YAML. */
export function yamlBody({ body }: Request): unknown {
  if (body.kind === 'json') return body.value
  if (body.kind !== 'text') return undefined
  try {
    return readYaml(body.text)
  } catch (error) {
    throw error instanceof YamlError ? badRequest(`error decoding YAML: yaml: ${error.message}`) : error
  }
}

function unrecognized(what: string, why: string): ApiError {
  return badRequest(`the object provided is unrecognized (must be of type ${what}): ${why}`)
}
