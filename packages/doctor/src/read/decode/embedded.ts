// Finds the text inside a string of a document. The offsets of a block scalar lead back to the file.
// Any other string can be read but not edited.
import { isScalar, type Scalar } from 'yaml'
import { findNode } from '../yaml/nodes.ts'
import { type Lines, stripIndentation } from '../yaml/strip-indentation.ts'
import type { SourceDocument } from './document.ts'
import type { FoundString } from './find-objects.ts'

export type EmbeddedText = Pick<SourceDocument, 'text' | 'toFile' | 'readonlyBecause'>

export function embeddedText(document: SourceDocument, { path, text, encoded }: FoundString): EmbeddedText | undefined {
  const { node, depth, shared } = findNode(document.nodes(), path)
  if (depth < path.length || !isScalar(node) || !node.range) return undefined
  const block = shared || encoded ? undefined : literalLines(document, node)
  if (!block) {
    const start = document.toFile(node.range[0])
    return {
      text,
      toFile: () => start,
      readonlyBecause: encoded ? 'it is in base64' : unlikeLines(node, shared),
    }
  }
  return {
    text: block.text,
    toFile: (offset) => document.toFile(block.toOuter(offset)),
    readonlyBecause:
      document.readonlyBecause ?? (node.anchor || node.tag ? 'its string has an anchor or a tag' : undefined),
  }
}

/** Returns why no line of the string is a line of the file. */
function unlikeLines(node: Scalar, shared: boolean): string {
  if (shared) return 'it is in a string that is shared by an alias, a merge key or a repeated key'
  if (node.type !== 'BLOCK_LITERAL') return 'it is in a string that is not a literal block'
  return 'it is in a literal block whose header or lines have more than one indentation'
}

function literalLines(document: SourceDocument, node: Scalar): Lines | undefined {
  if (node.type !== 'BLOCK_LITERAL' || !node.range) return undefined
  const source = document.text.slice(node.range[0], node.range[1])
  const header = /^\|[-+0-9]*[ \t]*(?:#[^\n]*)?\r?\n/.exec(source)
  if (!header || /^\|[-+]*[0-9]/.test(source)) return undefined
  const indentation = /^(?:[ \t]*\r?\n)*( *)/.exec(source.slice(header[0].length))?.[1] ?? ''
  return stripIndentation(source, header[0].length, { indentation, base: node.range[0] })
}
