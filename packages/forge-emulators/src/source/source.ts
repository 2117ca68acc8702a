// Reads a YAML file within bounds. GitHub's parser hangs on alias bombs and deep nesting.
// Therefore files are refused that are larger or deeper than any file written by hand, also with their aliases expanded.
import { open } from 'node:fs/promises'
import {
  type Alias,
  type Document,
  isAlias,
  isCollection,
  isPair,
  isScalar,
  Lexer,
  LineCounter,
  Parser,
  parseDocument,
} from 'yaml'
import { checkKeys } from './keys.ts'
import type { SourceKind } from './kind.ts'
import { SourceError } from './problem.ts'

export type Source = {
  readonly kind: SourceKind
  readonly file: string
  readonly text: string
  readonly document: Document
  /** Returns line and column of an offset, both from 1. */
  position(offset: number): { readonly line: number; readonly column: number }
}

type Origin = Pick<Source, 'file' | 'kind'>

/** The bounds of a file. A workflow of a thousand lines has about 40 KB, 15,000 tokens, a depth of 12 and 5,000 nodes. */
const sourceLimits = {
  bytesMax: 1024 * 1024,
  tokensMax: 60_000,
  depthMax: 50,
  aliasesMax: 200,
  nodesMax: 20_000,
} as const

/** Reads a file. Throws a `SourceError` if it is missing, binary, not YAML, or beyond the bounds. */
export async function readSource(file: string, kind: SourceKind): Promise<Source> {
  return checkSource(file, await readBytes({ file, kind }), kind)
}

/** Checks bytes that are already read. Throws like `readSource`. */
export function checkSource(file: string, bytes: Buffer, kind: SourceKind): Source {
  const from: Origin = { file, kind }
  if (bytes.length > sourceLimits.bytesMax) throw tooLarge(from)
  const text = decode(from, bytes)
  const lines = new LineCounter()
  const position = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
  checkShape(from, text)
  const options = { lineCounter: lines, keepSourceTokens: true, uniqueKeys: false, merge: kind.merges }
  const document = parseDocument(text, options)
  const [error] = document.errors
  if (error) throw syntaxError(from, error.message, position(error.pos[0]))
  const size = expandedSize(document, (alias) => {
    throw syntaxError(from, `there is no anchor named ${alias.source}`, position(alias.range?.[0] ?? 0))
  })
  if (size > sourceLimits.nodesMax) {
    const sentence =
      size === Number.POSITIVE_INFINITY
        ? 'An alias is inside its own anchor, so the value would be infinite.'
        : `With its aliases expanded, the file has more than ${sourceLimits.nodesMax.toLocaleString('en')} values.`
    throw beyond(from, { line: 1, column: 1 }, sentence)
  }
  if (kind.merges) {
    checkKeys(document.contents, (why, offset) => {
      throw syntaxError(from, why, position(offset))
    })
  }
  return { kind, file, text, document, position }
}

async function readBytes({ file, kind }: Origin): Promise<Buffer> {
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    throw missing({ file, kind }, error)
  })
  try {
    const buffer = Buffer.alloc(sourceLimits.bytesMax + 1)
    let length = 0
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    return buffer.subarray(0, length)
  } catch (error) {
    throw missing({ file, kind }, error as NodeJS.ErrnoException)
  } finally {
    await handle.close()
  }
}

function missing({ file, kind }: Origin, error: NodeJS.ErrnoException): SourceError {
  const reasons: Record<string, string> = {
    ENOENT: 'There is no such file.',
    EISDIR: `This is a directory, not a ${kind.noun} file.`,
    EACCES: 'You have no permission to read the file.',
  }
  const sentence = reasons[error.code ?? ''] ?? `The file cannot be read (${error.code ?? error.message}).`
  const next = `Give the path of a ${kind.noun} file, for example ${kind.example}.`
  return new SourceError([{ code: `${kind.code}-missing`, file, line: 1, column: 1, sentence, next }])
}

function tooLarge({ file, kind }: Origin): SourceError {
  const sentence = 'The file is larger than 1 MiB.'
  const next = `A ${kind.noun} file has a few kilobytes. Check that this is the right file.`
  return new SourceError([{ code: `${kind.code}-too-large`, file, line: 1, column: 1, sentence, next }])
}

function decode({ file, kind }: Origin, bytes: Buffer): string {
  const at = bytes.findIndex((byte) => byte === 0 || (byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 13))
  const text = bytes.toString('utf8')
  const broken = at >= 0 ? bytes.subarray(0, at).toString('utf8').length : text.indexOf('\uFFFD')
  if (broken < 0) return text.replace(/^\uFEFF/, '')
  const before = text.slice(0, broken).split('\n')
  const sentence = 'The file is not text: it contains bytes that YAML does not allow.'
  const next = `Give a ${kind.noun} file in UTF-8.`
  const [line, column] = [before.length, (before.at(-1)?.length ?? 0) + 1]
  throw new SourceError([{ code: `${kind.code}-binary`, file, line, column, sentence, next }])
}

/** Checks the numbers of tokens and aliases and the depth in the lexer, because the composer after it is recursive. */
function checkShape(from: Origin, text: string): void {
  const parser = new Parser()
  let tokens = 0
  let aliases = 0
  let offset = 0
  for (const token of new Lexer().lex(text)) {
    for (const _ of parser.next(token));
    tokens++
    if (token.startsWith('*')) aliases++
    const sentence =
      tokens > sourceLimits.tokensMax
        ? `The file has more than ${sourceLimits.tokensMax.toLocaleString('en')} YAML tokens.`
        : parser.stack.length > sourceLimits.depthMax
          ? `The file nests deeper than ${sourceLimits.depthMax} levels here.`
          : aliases > sourceLimits.aliasesMax
            ? `The file has more than ${sourceLimits.aliasesMax} aliases.`
            : undefined
    if (sentence) {
      const before = text.slice(0, offset)
      const line = before.split('\n').length
      const column = before.length - before.lastIndexOf('\n')
      throw beyond(from, { line, column }, sentence)
    }
    // The lexer's control tokens (document, byte order mark, flow error, scalar) have no text.
    if (token.length !== 1 || token > '\x1f' || /\s/.test(token)) offset += token.length
  }
}

function beyond({ file, kind }: Origin, at: { line: number; column: number }, sentence: string): SourceError {
  const next = 'Simplify the file, or split it.'
  return new SourceError([{ code: `${kind.code}-too-large`, file, ...at, sentence, next }])
}

function syntaxError({ file, kind }: Origin, message: string, at: { line: number; column: number }): SourceError {
  const first = message.split('\n', 1)[0] ?? ''
  const sentence = `This is not valid YAML: ${first.replace(/ at line \d+, column \d+:?$/, '').replace(/[.:]$/, '')}.`
  const next = 'Correct the syntax here; indentation and quotes are the usual causes.'
  return new SourceError([{ code: `${kind.code}-syntax`, file, ...at, sentence, next }])
}

/** Returns the number of nodes with all aliases expanded; infinite for an alias inside its own anchor. Each anchor is measured once. */
function expandedSize(document: Document, refuse: (unknown: Alias) => never): number {
  const anchors = new Map<string, number>()
  const open = new Set<string>()
  const sizeOf = (node: unknown): number => {
    if (isAlias(node)) {
      return open.has(node.source) ? Number.POSITIVE_INFINITY : (anchors.get(node.source) ?? refuse(node))
    }
    if (isPair(node)) return sizeOf(node.key) + sizeOf(node.value)
    const anchor = isCollection(node) || isScalar(node) ? node.anchor : undefined
    if (anchor) open.add(anchor)
    let size = 1
    if (isCollection(node)) for (const item of node.items) size += sizeOf(item)
    if (anchor) {
      open.delete(anchor)
      anchors.set(anchor, size)
    }
    return size
  }
  return sizeOf(document.contents)
}
