// /openapi/v3: an index of documents, and one document for each group and version. There is no /openapi/v2.
import { createHash } from 'node:crypto'
import { type Answer, jsonAnswer, type Request } from '../../../lib/http.ts'
import type { Profile } from '../../api/api.ts'
import { noSuchResource } from '../../api/errors.ts'
import type { Kinds } from '../../api/kinds.ts'
import { groupsOf, rootOf } from '../group-versions.ts'
import { openApiDocument } from './document.ts'

export function openApiAnswer(request: Request, kinds: Kinds, profile: Profile): Answer {
  const path = request.path.replace(/\/$/, '')
  if (path === '/openapi/v3') return jsonAnswer(200, { paths: Object.fromEntries(index(kinds, profile)) })
  for (const group of groupsOf(kinds)) {
    for (const version of group.versions) {
      if (path !== `/openapi/v3/${rootOf(group.name, version.version)}`) continue
      return jsonAnswer(200, openApiDocument(group.name, version, profile))
    }
  }
  throw noSuchResource()
}

/** The hash in the address lets clients keep a document until it changes. */
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
