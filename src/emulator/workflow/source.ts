// Reads a workflow file within bounds. GitHub's parser hangs on alias bombs and deep nesting.
// Therefore files are refused that are larger or deeper than any workflow written by hand, also with their aliases expanded.
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
import { WorkflowError } from './problem.ts'

export type WorkflowSource = {
  readonly file: string
  readonly text: string
  readonly document: Document
  /** Returns line and column of an offset, both from 1. */
  position(offset: number): { readonly line: number; readonly column: number }
}

/** The bounds of a file. A workflow of a thousand lines has about 40 KB, 15,000 tokens, a depth of 12 and 5,000 nodes. */
const sourceLimits = {
  bytesMax: 1024 * 1024,
  tokensMax: 60_000,
  depthMax: 50,
  aliasesMax: 200,
  nodesMax: 20_000,
} as const

/** Reads a file. Throws a `WorkflowError` if it is missing, binary, not YAML, or beyond the bounds. */
export async function readSource(file: string): Promise<WorkflowSource> {
  return checkSource(file, await readBytes(file))
}

/** Checks bytes that are already read. Throws like `readSource`. */
export function checkSource(file: string, bytes: Buffer): WorkflowSource {
  if (bytes.length > sourceLimits.bytesMax) throw tooLarge(file)
  const text = decode(file, bytes)
  const lines = new LineCounter()
  const position = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
  checkShape(file, text)
  const document = parseDocument(text, { lineCounter: lines, keepSourceTokens: true, uniqueKeys: false })
  const [error] = document.errors
  if (error) throw syntaxError(file, error.message, position(error.pos[0]))
  const size = expandedSize(document, (alias) => {
    throw syntaxError(file, `there is no anchor named ${alias.source}`, position(alias.range?.[0] ?? 0))
  })
  if (size > sourceLimits.nodesMax) {
    const sentence =
      size === Number.POSITIVE_INFINITY
        ? 'An alias is inside its own anchor, so the value would be infinite.'
        : `With its aliases expanded, the file has more than ${sourceLimits.nodesMax.toLocaleString('en')} values.`
    throw beyond(file, { line: 1, column: 1 }, sentence)
  }
  return { file, text, document, position }
}

async function readBytes(file: string): Promise<Buffer> {
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    throw missing(file, error)
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
    throw missing(file, error as NodeJS.ErrnoException)
  } finally {
    await handle.close()
  }
}

function missing(file: string, error: NodeJS.ErrnoException): WorkflowError {
  const reasons: Record<string, string> = {
    ENOENT: 'There is no such file.',
    EISDIR: 'This is a directory, not a workflow file.',
    EACCES: 'You have no permission to read the file.',
  }
  const sentence = reasons[error.code ?? ''] ?? `The file cannot be read (${error.code ?? error.message}).`
  const next = 'Give the path of a workflow file, for example .github/workflows/ci.yml.'
  return new WorkflowError([{ code: 'workflow-missing', file, line: 1, column: 1, sentence, next }])
}

function tooLarge(file: string): WorkflowError {
  const sentence = 'The file is larger than 1 MiB.'
  const next = 'A workflow file has a few kilobytes. Check that this is the right file.'
  return new WorkflowError([{ code: 'workflow-too-large', file, line: 1, column: 1, sentence, next }])
}

function decode(file: string, bytes: Buffer): string {
  const at = bytes.findIndex((byte) => byte === 0 || (byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 13))
  const text = bytes.toString('utf8')
  const broken = at >= 0 ? bytes.subarray(0, at).toString('utf8').length : text.indexOf('\uFFFD')
  if (broken < 0) return text.replace(/^\uFEFF/, '')
  const before = text.slice(0, broken).split('\n')
  const sentence = 'The file is not text: it contains bytes that YAML does not allow.'
  const next = 'Give a workflow file in UTF-8.'
  const [line, column] = [before.length, (before.at(-1)?.length ?? 0) + 1]
  throw new WorkflowError([{ code: 'workflow-binary', file, line, column, sentence, next }])
}

/** Checks the numbers of tokens and aliases and the depth in the lexer, because the composer after it is recursive. */
function checkShape(file: string, text: string): void {
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
      throw beyond(file, { line, column }, sentence)
    }
    // The lexer's control tokens (document, byte order mark, flow error, scalar) have no text.
    if (token.length !== 1 || token > '\x1f' || /\s/.test(token)) offset += token.length
  }
}

function beyond(file: string, at: { line: number; column: number }, sentence: string): WorkflowError {
  const next = 'Simplify the workflow, or split it.'
  return new WorkflowError([{ code: 'workflow-too-large', file, ...at, sentence, next }])
}

function syntaxError(file: string, message: string, at: { line: number; column: number }): WorkflowError {
  const first = message.split('\n', 1)[0] ?? ''
  const sentence = `This is not valid YAML: ${first.replace(/ at line \d+, column \d+:?$/, '').replace(/[.:]$/, '')}.`
  const next = 'Correct the syntax here; indentation and quotes are the usual causes.'
  return new WorkflowError([{ code: 'workflow-syntax', file, ...at, sentence, next }])
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
