// Recognizes strings that mention manifests, such as scripts, pages and patches.
import type { FoundString } from './find-objects.ts'

const manifestLine = /^[ \t]*(?:- +)?["']?(?:kind|containers)["']?[ \t]*:|[{,][ \t]*"(?:kind|containers)"/m
/** Matches a heredoc, the fence of an example, and a hunk of a patch. */
const quotation = /<<-?[ \t]*["']?[A-Za-z_]|^[ \t]*(?:```|~~~)|^@@ /m

/** Returns whether the string mentions or quotes manifests without being a manifest. */
export function isProse({ path, text }: FoundString): boolean {
  if (text.startsWith('#!') || /\.(?:sh|bash|py|md|txt|adoc|rst)$/i.test(String(path.at(-1)))) return true
  const line = text.search(manifestLine)
  const quoted = text.search(quotation)
  return line < 0 || (quoted >= 0 && quoted < line)
}
