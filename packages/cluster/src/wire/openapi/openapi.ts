// Serves OpenAPI: /openapi/v3 has an index and one document for each group and version. /openapi/v2 is one document.
import { createHash } from 'node:crypto'
import { type Answer, jsonAnswer, type Request, textAnswer } from '@dayfly/kit/http'
import type { Profile } from '../../api/api.ts'
import type { Kinds } from '../../api/kind.ts'
import { cacheableAnswer } from '../discovery.ts'
import { groupsOf, rootOf } from '../group-versions.ts'
import { infoOf, openApiDocument } from './document.ts'
import { versionTwoDocument } from './version-two.ts'

/** Returns undefined if there is no such document. */
export function openApiAnswer(request: Request, kinds: Kinds, profile: Profile): Answer | undefined {
  const path = request.path.replace(/\/$/, '')
  if (path === '/openapi/v3') return jsonAnswer(200, { paths: Object.fromEntries(index(kinds, profile)) })
  if (path === '/openapi/v2') return versionTwo(request, kinds, profile)
  for (const group of groupsOf(kinds)) {
    for (const version of group.versions) {
      if (path !== `/openapi/v3/${rootOf(group.name, version.version)}`) continue
      return jsonAnswer(200, openApiDocument(group.name, version, profile))
    }
  }
  return undefined
}

/** Returns the paths of all documents. The hash in the URL lets clients cache a document until it changes. */
function index(kinds: Kinds, profile: Profile): readonly [string, object][] {
  return groupsOf(kinds).flatMap((group) =>
    group.versions.map((version): [string, object] => {
      const root = rootOf(group.name, version.version)
      const document = JSON.stringify(openApiDocument(group.name, version, profile))
      const hash = createHash('sha256').update(document).digest('hex').toUpperCase()
      return [root, { serverRelativeURL: `/openapi/v3/${root}?hash=${hash}` }]
    }),
  )
}

/**
 * Answers in JSON, or in protobuf with a document that describes nothing. kubectl validates a manifest of kind List only
 * against the v2 document, which it reads as protobuf only (gnostic's openapi.v2.Document). If that is empty, kubectl leaves
 * the items to the server.
 */
function versionTwo(request: Request, kinds: Kinds, profile: Profile): Answer {
  if (!(request.headers['accept'] ?? '').includes('protobuf')) {
    return cacheableAnswer(request, versionTwoDocument(kinds, profile), 'application/json')
  }
  const info = infoOf(profile)
  const document = text(1, '2.0') + text(2, text(1, info.title) + text(2, info.version))
  return textAnswer(200, document, { 'content-type': 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf' })
}

/** Encodes a protobuf string: field number and wire type, length, bytes. */
function text(number: number, content: string): string {
  return String.fromCharCode((number << 3) | 2, content.length) + content
}
