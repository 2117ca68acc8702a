// The verbs that write one object: create, update, patch, and the binding subresource.
import { type Answer, jsonAnswer, type Request } from '@dayfly/kit/http'
import { badRequest, invalid } from '../api/errors.ts'
import { patchMediaTypes } from '../api/patch/apply-patch.ts'
import type { Duplicate, RegistryWrite } from '../api/registry.ts'
import { type FieldError, notAllowed, notSupported, required } from '../api/values/field-error.ts'
import { text } from '../api/values/json.ts'
import { type Call, objectAnswer } from './call.ts'
import { duplicatesOf, repeatedInYaml } from './duplicate-fields.ts'
import { mediaType, optionalObject, requiredObject, unknownFormat, yamlBody } from './request-body.ts'
import { isTrue } from './route.ts'

export function createAnswer(call: Call): Answer {
  const { route, backend, request } = call
  const object = requiredObject(request, route)
  const { options, headers } = writeOptions(call)
  return objectAnswer(call, 201, backend.registry.create(route.kind.resource, object, options), headers())
}

export function updateAnswer(call: Call): Answer {
  const { route, backend, request } = call
  const object = requiredObject(request, route)
  const name = text(object, 'metadata', 'name')
  if (name === '') {
    throw badRequest(`the name of the object (${route.name} based on URL) was undeterminable: name must be provided`)
  }
  if (name !== route.name) {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${route.name})`)
  }
  const there = backend.registry.get(route.kind.resource, route.namespace, route.name) !== undefined
  const { options, headers } = writeOptions(call)
  const written = backend.registry.update(route.kind.resource, object, options)
  return objectAnswer(call, there ? 200 : 201, written, headers())
}

export function patchAnswer(call: Call): Answer {
  const { route, backend, request } = call
  const media = mediaType(request)
  if (media === 'application/apply-patch+yaml') return applyAnswer(call)
  if (request.query['force'] !== undefined) {
    throw invalidOptions(request, notAllowed('force', 'may not be specified for non-apply patch'))
  }
  const type = patchMediaTypes(route.kind)[media]
  if (!type) throw unknownFormat(Object.keys(patchMediaTypes(route.kind)))
  if (request.body.kind !== 'json') throw badRequest('the patch is not valid JSON')
  const { options, headers } = writeOptions(call)
  const change = { type, body: request.body.value }
  const written = backend.registry.patch(route.kind.resource, route, change, options)
  return objectAnswer(call, 200, written, headers())
}

/** Server-side apply. The configuration may be YAML. */
function applyAnswer(call: Call): Answer {
  const { route, backend, request } = call
  const name = request.query['fieldManager'] ?? ''
  if (name === '') throw invalidOptions(request, required('fieldManager', 'is required for apply patch'))
  const { options, headers } = writeOptions(call, [])
  reportTwice(request, options)
  const force = isTrue(request.query['force'])
  const applied = { config: yamlBody(request), client: { name, version: route.version }, force }
  const { object, isNew } = backend.registry.apply(route.kind.resource, route, applied, options)
  return objectAnswer(call, isNew ? 201 : 200, object, headers())
}

/** Reports the fields that a configuration has twice, in the words of Kubernetes' YAML reader. */
function reportTwice(request: Request, { fieldValidation, warn }: RegistryWrite): void {
  const problem = fieldValidation === 'Ignore' ? undefined : repeatedInYaml(request)
  if (problem === undefined) return
  if (fieldValidation === 'Strict') throw badRequest(`error strict decoding YAML: ${problem}`)
  warn?.(problem)
}

/** Assigns a pod to a node. */
export function bindingAnswer({ backend, route, request }: Call): Answer {
  const node = text(optionalObject(request, 'Binding'), 'target', 'name')
  if (node === '') throw badRequest('target.name: Required value')
  if (isDryRun(request)) throw badRequest('dryRun of bindings is not supported by the embedded cluster. Remove dryRun')
  backend.registry.bind(route.namespace ?? '', route.name, node)
  return jsonAnswer(201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 })
}

type Write = {
  readonly options: RegistryWrite
  /** The warnings so far, as headers. */
  headers(): Readonly<Record<string, string>>
}

function writeOptions({ route, request }: Call, twice?: readonly Duplicate[]): Write {
  const { subresource } = route
  const warnings: string[] = []
  const fieldValidation = fieldValidationOf(request)
  return {
    options: {
      dryRun: isDryRun(request),
      subresource: subresource === 'status' || subresource === 'finalize' ? subresource : undefined,
      fieldValidation,
      duplicates: twice ?? (fieldValidation === 'Ignore' ? [] : duplicatesOf(request)),
      client: { name: clientName(request), version: route.version },
      warn: (warning) => warnings.push(warning),
    },
    headers: () => (warnings.length === 0 ? {} : { warning: warningHeader(warnings) }),
  }
}

/** The characters of all warnings in one answer. Beyond that, each warning is cut, and the last ones are left out. */
const warningsMax = 4_096
const cutWarningMax = 256

function warningHeader(warnings: readonly string[]): string {
  const total = warnings.reduce((sum, warning) => sum + warning.length, 0)
  const shown: string[] = []
  let left = warningsMax
  for (const warning of warnings) {
    const cut = total > warningsMax ? warning.slice(0, cutWarningMax) : warning
    left -= cut.length
    if (left < 0) break
    shown.push(`299 - ${JSON.stringify(cut).replaceAll('\u007f', '')}`)
  }
  // Node writes the characters of a header as single bytes.
  return Buffer.from(shown.join(', ')).toString('latin1')
}

/** Returns the client's name: as it says, or the first word of its User-Agent. */
function clientName({ query, headers }: Request): string {
  return query['fieldManager'] || (headers['user-agent'] ?? '').split('/', 1)[0] || 'unknown'
}

export function isDryRun(request: Request): boolean {
  const given = request.query['dryRun'] ?? ''
  if (given === '') return false
  if (given === 'All') return true
  throw invalidOptions(request, notSupported('dryRun', [given], ['All']))
}

function fieldValidationOf(request: Request): RegistryWrite['fieldValidation'] {
  const given = request.query['fieldValidation'] ?? ''
  if (given === '') return 'Warn'
  if (given === 'Strict' || given === 'Warn' || given === 'Ignore') return given
  throw invalidOptions(request, notSupported('fieldValidation', given, ['', 'Ignore', 'Strict', 'Warn']))
}

function invalidOptions({ method }: Request, error: FieldError): Error {
  const kind = method === 'POST' ? 'CreateOptions' : method === 'PUT' ? 'UpdateOptions' : 'PatchOptions'
  return invalid({ group: 'meta.k8s.io', kind }, '', [error])
}
