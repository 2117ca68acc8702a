// Reads YAML from a client. It bounds the work before the parser recurses: near the end of the stack, the engine ends
// the whole process instead of throwing.
import { Composer, type Document, isScalar, Lexer, LineCounter, Parser, visit, YAMLParseError } from 'yaml'

/** The body is no YAML, or more YAML than the server reads. */
export class YamlError extends Error {}

/** Tokens that take about half a second. Clients send larger objects as JSON, as kubectl always does. */
const tokensMax = 60_000
const depthMax = 500
/** An alias searches the whole document for its anchor. */
const searchesMax = 4_000_000
/** The lexer's mark before the first line of a document. */
const documentStart = '\u0002'

/** Without the check for equal keys, which compares each key with each other one. The last of equal keys counts. */
const options = { logLevel: 'error', uniqueKeys: false, prettyErrors: false } as const

/** Throws a YamlError for malformed text, for aliases that expand without limit, and for too much nesting. */
export function readYaml(source: string): unknown {
  return compose(source, (document) => document?.toJS({ maxAliasCount: 100 }) ?? null)
}

/** A key that a mapping has again, and its line. */
export type RepeatedKey = { readonly key: string; readonly line: number }

/** Returns the keys that a mapping has twice, in the order of their second lines. Throws like `readYaml`. */
export function yamlDuplicates(source: string): readonly RepeatedKey[] {
  const lines = new LineCounter()
  lines.addNewLine(0)
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) lines.addNewLine(at + 1)
  const found: RepeatedKey[] = []
  compose(source, (document) =>
    visit(document ?? null, {
      Map: (_, { items }) => {
        const keys = new Set<string>()
        for (const { key } of items) {
          if (!isScalar(key)) continue
          const name = String(key.value)
          if (keys.has(name)) found.push({ key: name, line: lines.linePos(key.range?.[0] ?? 0).line })
          keys.add(name)
        }
      },
    }),
  )
  return found.sort((one, other) => one.line - other.line)
}

/** Reads the only document of a text. */
function compose<T>(source: string, read: (document: Document.Parsed | undefined) => T): T {
  const parser = new Parser()
  const composer = new Composer(options)
  const parts = []
  for (const token of boundedTokens(source)) parts.push(...parser.next(token))
  parts.push(...parser.end())
  try {
    const [document, ...more] = composer.compose(parts, true, source.length)
    const [error] = document?.errors ?? []
    if (error !== undefined) throw error
    if (more.length > 0) throw new YamlError('the body has more than one document')
    return read(document)
  } catch (error) {
    // Besides syntax errors: aliases that expand without limit, or that name nothing.
    if (error instanceof YAMLParseError || error instanceof RangeError || error instanceof ReferenceError) {
      throw new YamlError(error.message)
    }
    throw error
  }
}

/**
 * Yields the tokens. A level of a block needs one column more than the level around it, or a dash in the same column, so
 * that the column of a line's content bounds the depth.
 */
function* boundedTokens(source: string): Iterable<string> {
  let [tokens, aliases, flow, column] = [0, 0, 0, 0]
  let isIndent = true
  for (const token of new Lexer().lex(source)) {
    tokens++
    if (token.startsWith('*')) aliases++
    if (token === '[' || token === '{') flow++
    else if ((token === ']' || token === '}') && flow > 0) flow--
    if (token.endsWith('\n')) {
      column = 0
      isIndent = true
    } else if (isIndent && /^[-?: ]+$/.test(token)) column += token.length
    else if (token !== documentStart) isIndent = false
    if (flow > depthMax || column > depthMax) throw new YamlError('exceeded max depth')
    if (tokens > tokensMax) {
      throw new YamlError(`the embedded cluster reads at most ${tokensMax} tokens of YAML. Send JSON`)
    }
    if (aliases * tokens > searchesMax) throw new YamlError('document contains excessive aliasing')
    yield token
  }
}
