// Reads a workflow file within bounds. GitHub's parser hangs on alias bombs and deep nesting, so nothing reaches it that is larger, deeper
// or, with its aliases expanded, longer than any workflow written by hand.
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
  /** Line and column, from 1, of an offset. */
  position(offset: number): { readonly line: number; readonly column: number }
}

/** What is read at all; a workflow of a thousand lines has about 40 KB, 15,000 tokens, a depth of 12 and 5,000 nodes. */
const sourceLimits = {
  bytesMax: 1024 * 1024,
  tokensMax: 60_000,
  depthMax: 50,
  aliasesMax: 200,
  nodesMax: 20_000,
} as const

/** Throws a `WorkflowError` when the file is missing, binary, too large, no YAML, or beyond the limits. */
export async function readSource(file: string): Promise<WorkflowSource> {
  return checkSource(file, await readBytes(file))
}

/** As `readSource`, of bytes at hand. */
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
    throw syntaxError(file, `there is no anchor of the name ${alias.source}`, position(alias.range?.[0] ?? 0))
  })
  if (size > sourceLimits.nodesMax) {
    const sentence =
      size === Number.POSITIVE_INFINITY
        ? 'An alias stands inside its own anchor, so the value would never end.'
        : `With its aliases expanded the file has more than ${sourceLimits.nodesMax.toLocaleString('en')} values.`
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
    EACCES: 'The file may not be read.',
  }
  const sentence = reasons[error.code ?? ''] ?? `The file cannot be read (${error.code ?? error.message}).`
  const next = 'Give the path of a workflow file, for example .github/workflows/ci.yml.'
  return new WorkflowError([{ code: 'workflow-missing', file, line: 1, column: 1, sentence, next }])
}

function tooLarge(file: string): WorkflowError {
  const sentence = 'The file is larger than 1 MiB.'
  const next = 'A workflow file is text of a few kilobytes: check that this is the right file.'
  return new WorkflowError([{ code: 'workflow-too-large', file, line: 1, column: 1, sentence, next }])
}

function decode(file: string, bytes: Buffer): string {
  const at = bytes.findIndex((byte) => byte === 0 || (byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 13))
  const text = bytes.toString('utf8')
  const broken = at >= 0 ? bytes.subarray(0, at).toString('utf8').length : text.indexOf('\uFFFD')
  if (broken < 0) return text.replace(/^\uFEFF/, '')
  const before = text.slice(0, broken).split('\n')
  const sentence = 'The file is not text: it holds bytes that YAML does not allow.'
  const next = 'Give a workflow file in UTF-8.'
  const [line, column] = [before.length, (before.at(-1)?.length ?? 0) + 1]
  throw new WorkflowError([{ code: 'workflow-binary', file, line, column, sentence, next }])
}

/** Bounds tokens and depth while the YAML is only being lexed: the composer behind it recurses. */
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
    // The lexer's own control tokens (document, byte order mark, flow error, scalar) stand for no text.
    if (token.length !== 1 || token > '\x1f' || /\s/.test(token)) offset += token.length
  }
}

function beyond(file: string, at: { line: number; column: number }, sentence: string): WorkflowError {
  const next = 'Make it simpler, or split the workflow.'
  return new WorkflowError([{ code: 'workflow-too-large', file, ...at, sentence, next }])
}

function syntaxError(file: string, message: string, at: { line: number; column: number }): WorkflowError {
  const first = message.split('\n', 1)[0] ?? ''
  const sentence = `This is not valid YAML: ${first.replace(/ at line \d+, column \d+:?$/, '').replace(/[.:]$/, '')}.`
  const next = 'Correct the syntax here; indentation and quotes are the usual causes.'
  return new WorkflowError([{ code: 'workflow-syntax', file, ...at, sentence, next }])
}

/** How many nodes there are once each alias is replaced by what it names; infinite for an alias inside its own anchor. Each anchor is measured once. */
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
