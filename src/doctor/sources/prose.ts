// Strings that speak of manifests, such as scripts, pages and patches.
import type { FoundString } from './find-objects.ts'

const manifestLine = /^[ \t]*(?:- +)?["']?(?:kind|containers)["']?[ \t]*:|[{,][ \t]*"(?:kind|containers)"/m
/** A heredoc, the fence of an example, a hunk of a patch. */
const quotation = /<<-?[ \t]*["']?[A-Za-z_]|^[ \t]*(?:```|~~~)|^@@ /m

/** It speaks of manifests, or quotes them, and was never meant to be one. */
export function isProse({ path, text }: FoundString): boolean {
  if (text.startsWith('#!') || /\.(?:sh|bash|py|md|txt|adoc|rst)$/i.test(String(path.at(-1)))) return true
  const line = text.search(manifestLine)
  const quoted = text.search(quotation)
  return line < 0 || (quoted >= 0 && quoted < line)
}
