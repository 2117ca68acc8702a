// Rewrites plain block YAML in the other styles that people use, for the tests of fixes. Each style means the same.
import type { Path } from '@dayfly/kit/read-json'
import { Alias, type Document, isMap, isNode, type Node, parseAllDocuments, stringify, YAMLMap } from 'yaml'

export type Style = {
  readonly name: string
  readonly write: (text: string) => string
  /** The only reason for which a fix may be refused in this style. */
  readonly refused?: RegExp
  /** The path of a file that is not YAML. */
  readonly path?: string
  /** Fixing and then restyling gives the same text as restyling and then fixing. */
  readonly exact?: boolean
}

const flow = /flow style/
const plainBlock = /not plain block style/
const severalLines = /the value has several lines/
const indentation = /more than one indentation/
const notLiteral = /not a literal block/
const statement = /template statement/

/** Styles of the surroundings and the lines. A fix in such a text is the plain fix in that style. */
const exact: readonly Style[] = [
  { name: 'plain', write: (text) => text },
  { name: 'two spaces, lists indented', write: (text) => rewrite(text, { indent: 2, indentSeq: true }) },
  { name: 'four spaces, lists indented', write: (text) => rewrite(text, { indent: 4, indentSeq: true }) },
  { name: 'CRLF', write: crlf },
  { name: 'no last line end', write: (text) => text.trimEnd() },
  { name: 'CRLF, no last line end', write: (text) => crlf(text.trimEnd()) },
  { name: 'blank lines at the end', write: (text) => `${text}\n\n` },
  { name: 'a byte order mark', write: (text) => `\uFEFF${text}` },
  { name: 'comments after everything', write: (text) => `${text}        # deep\n    # less\n# none\n` },
  { name: 'a marker in front', write: (text) => `---\n${text}` },
  {
    name: 'a directive and an end marker',
    write: (text) => `%YAML 1.2\n---\n${text.replace(/^---$/gm, '...\n%YAML 1.2\n---')}...\n`,
  },
  { name: 'a marker with a comment', write: (text) => `--- # here\n${text}` },
  { name: 'behind another document', write: (text) => `${other}---\n${text}` },
  {
    name: 'between other documents',
    write: (text) => `${other}---\n# of the next\n${text}# at the end\n---\n${other}`,
  },
  {
    name: 'between other documents, CRLF, no last line end',
    write: (text) => crlf(`${other}---\n${text}---\n${other}`).trimEnd(),
  },
  { name: 'behind a document with an end marker', write: (text) => `${other}...\n---\n${text}...\n` },
  {
    name: 'beside block scalars',
    write: (text) => eachDocument(text, (one) => `${blocks('x-first')}${one}${blocks('x-last')}`),
  },
  { name: 'in a List', write: (text) => inList(text, '  - ') },
  { name: 'in a List, on the line below the dash', write: (text) => inList(text, '  -\n    ') },
  ...['|', '|-', '|+', '|2', '| # what runs'].map((header) => ({
    name: `in a ConfigMap, ${header}`,
    write: (text: string) => inConfigMap(text, header),
    ...(header === '|2' && { refused: indentation }),
  })),
  { name: 'in a ConfigMap, CRLF', write: (text) => crlf(inConfigMap(text, '|')) },
  {
    name: 'in a ConfigMap, CRLF in it alone',
    write: (text) => inConfigMap(crlf(text), '|'),
    refused: /mixes CRLF and LF/,
  },
  { name: 'in a ConfigMap, no last line end', write: (text) => inConfigMap(text, '|', '').trimEnd() },
  {
    name: 'in a ConfigMap, four spaces deep',
    write: (text) => inConfigMap(text, '|').replace(/^ {4}(?=.)/gm, '        '),
  },
  { name: 'in a ConfigMap in a List', write: (text) => inList(inConfigMap(text, '|'), '- ') },
  { name: 'in a Helm template', write: helm },
  { name: 'in a Jinja template', write: jinja },
  { name: 'in a Jinja template in a ConfigMap', write: (text) => inConfigMap(jinja(text), '|') },
  { name: 'with <% %>', write: (text) => text.replace(/^( +name: )(\S+)$/m, '$1$2-<% uuid %>') },
  { name: 'in a heredoc of Terraform', write: heredoc, path: 'a.tf' },
  { name: 'in a heredoc of Terraform, CRLF', write: (text) => crlf(heredoc(text)), path: 'a.tf' },
]

/** A fix in these styles adds plain text: without the style's comments, quotes or blank lines. */
const loose: readonly Style[] = [
  { name: 'two spaces, lists not indented', write: (text) => rewrite(text, { indent: 2, indentSeq: false }) },
  { name: 'four spaces, lists not indented', write: (text) => rewrite(text, { indent: 4, indentSeq: false }) },
  {
    name: 'three spaces behind dashes',
    write: (text) => rewrite(text, { indent: 4, indentSeq: false }).replace(/^((?: {4})*) {2}- /gm, '$1-   '),
  },
  { name: 'tabs behind dashes', write: (text) => text.replace(/^( *-) (?!\w+:)/gm, '$1\t') },
  {
    name: 'mappings on the line below the dash',
    write: (text) => text.replace(/^( *)- (?=\w+:)/gm, '$1-\n$1  '),
    refused: plainBlock,
  },
  { name: 'quoted keys', write: (text) => rewrite(text, { defaultKeyType: 'QUOTE_DOUBLE' }) },
  { name: 'quoted keys and values', write: (text) => rewrite(text, { defaultStringType: 'QUOTE_SINGLE' }) },
  {
    name: 'strings in literal blocks',
    write: (text) => rewrite(text, { defaultStringType: 'BLOCK_LITERAL', defaultKeyType: 'PLAIN' }),
    refused: severalLines,
  },
  {
    name: 'strings in folded blocks',
    write: (text) => rewrite(text, { defaultStringType: 'BLOCK_FOLDED', defaultKeyType: 'PLAIN' }),
    refused: severalLines,
  },
  { name: 'compact JSON', write: (text) => json(text), refused: flow },
  { name: 'JSON over lines', write: (text) => json(text, 2), refused: flow },
  { name: 'JSON with tabs', write: (text) => json(text, '\t'), refused: flow },
  { name: 'flow over lines', write: (text) => rewrite(text, { collectionStyle: 'flow' }), refused: flow },
  { name: 'flow on one line behind astral letters', write: astralFlow, refused: flow },
  { name: 'spaces at the ends of lines', write: (text) => eachLine(text, ({ line }) => [`${line}  `]) },
  { name: 'tabs at the ends of lines', write: (text) => eachLine(text, ({ line }) => [`${line}\t`]) },
  { name: 'comments behind tabs', write: (text) => eachLine(text, ({ line, at }) => [`${line}\t# ${at}`]) },
  { name: 'comments on every line', write: (text) => eachLine(text, ({ line, at }) => [`${line} # ${at} 😀`]) },
  { name: 'comments above every line', write: commentsAbove },
  { name: 'comments above every line, CRLF', write: (text) => crlf(commentsAbove(text)) },
  { name: 'comments at column 1', write: (text) => eachLine(text, ({ line, at }) => [`# ${at}`, line]) },
  {
    name: 'comments below every line',
    write: (text) => eachLine(text, ({ line, at }) => [line, `${indentOf(line)}# ${at}`]),
  },
  { name: 'blank lines between', write: (text) => eachLine(text, ({ line }) => [line, '']) },
  {
    name: 'blank lines and comments between',
    write: (text) => eachLine(text, ({ line, at }) => [line, '', `${indentOf(line)}# ${at}`, '']),
  },
  { name: 'in a List that is not indented', write: (text) => inList(text, '- ') },
  {
    name: 'in a ConfigMap, comments on every line',
    write: (text) =>
      inConfigMap(
        eachLine(text, ({ line, at }) => [`# ${at}`, line, '']),
        '|',
      ),
  },
  {
    name: 'in a ConfigMap, folded',
    write: (text) => inConfigMap(text.replace(/\n(?=.)/g, '\n\n'), '>'),
    refused: notLiteral,
  },
  {
    name: 'in a ConfigMap, in quotes',
    write: (text) => `${configMap}  a.yaml: ${JSON.stringify(text)}\n`,
    refused: notLiteral,
  },
  {
    name: 'statements around each line',
    write: (text) => eachLine(text, ({ line, at }) => [`{%- if a${at} %}`, `# ${at}`, '{%- endif %}', line]),
    refused: statement,
  },
]

export const styles: readonly Style[] = [...exact.map((style) => ({ ...style, exact: true })), ...loose]

const other = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other} # as it was\ndata:\n  a: |\n    text\n\n'
const configMap = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: holds-it\ndata:\n'

function rewrite(text: string, options: Parameters<typeof stringify>[2] & object): string {
  return valuesOf(text)
    .map((value) => stringify(value, { lineWidth: 0, ...options }))
    .join('---\n')
}

function json(text: string, indent?: number | string): string {
  return valuesOf(text)
    .map((value) => `${JSON.stringify(value, null, indent)}\n`)
    .join('---\n')
}

function astralFlow(text: string): string {
  return valuesOf(text)
    .map((value) => `{"x-ключ": "😀😀", ${JSON.stringify(value).slice(1)} # 😀\n`)
    .join('---\n')
}

function valuesOf(text: string): unknown[] {
  return parseAllDocuments(text).map((document) => document.toJS())
}

function crlf(text: string): string {
  return text.replace(/\n/g, '\r\n')
}

type Line = { readonly line: string; readonly at: number }

/** Rewrites every line except those of block scalars and markers. */
function eachLine(text: string, write: (line: Line) => readonly string[]): string {
  let block: number | undefined
  const lines = text
    .trimEnd()
    .split('\n')
    .flatMap((line, at) => {
      if (block !== undefined && (line.trim() === '' || indentOf(line).length > block)) return [line]
      block = /[|>][-+]?$/.test(line) ? indentOf(line).length : undefined
      return block !== undefined || line === '---' ? [line] : write({ line, at: at + 1 })
    })
  return `${lines.join('\n')}\n`
}

function commentsAbove(text: string): string {
  return eachLine(text, ({ line, at }) => [`${indentOf(line)}# ${at}`, line])
}

function eachDocument(text: string, write: (one: string) => string): string {
  return text
    .split(/^---\n/m)
    .map(write)
    .join('---\n')
}

function indentOf(line: string): string {
  return /^ */.exec(line)?.[0] ?? ''
}

/** Block scalars that look like the text beside them. */
function blocks(key: string): string {
  const lines = '  kind:\n   containers:\n  - name: x\n\n  # no comment\n\n'
  return `${key}-literal: |\n${lines}${key}-folded: >+\n${lines}`
}

function inList(text: string, dash: string): string {
  const column = ' '.repeat(dash.split('\n').at(-1)?.length ?? 0)
  const items = text.split(/^---\n/m).map((item) => dash + shift(item, column).trimStart())
  return `apiVersion: v1\nkind: List\nitems:\n${items.join('')}`
}

function inConfigMap(text: string, header: string, behind = '  b.txt: other # as it was\n'): string {
  return `${configMap}  a.yaml: ${header}\n${shift(text, '    ')}${behind}`
}

function shift(text: string, by: string): string {
  return text.replace(/^(?=.)/gm, by)
}

function helm(text: string): string {
  return eachDocument(text, (one) => {
    const named = one.replace(/^( +name: )(\S+)$/m, '$1{{ include "x.name" . }}-$2')
    return `{{- if .Values.on }}\n{{- /* why */}}\n${named}{{- end }}\n`
  })
}

function jinja(text: string): string {
  return eachDocument(
    text,
    (one) => `{%- if on %}\n{# why #}\n${one.replace(/^( +name: )(\S+)$/m, '$1$2-{{ uuid }}')}{%- endif %}\n`,
  )
}

/** The ways to share a node with other places of its document. Added nodes have keys with `x-`. */
export const sharings = ['anchored', 'anchored and repeated', 'an alias', 'merged', 'beside a merge'] as const

/** Returns the text with the node of a path shared. Undefined if that is impossible. `at`: the index of the document. */
export function share(
  text: string,
  { at, path, how }: { readonly at: number; readonly path: Path; readonly how: (typeof sharings)[number] },
): string | undefined {
  const documents = parseAllDocuments(text)
  const document = documents[at]
  const node = document?.getIn(path, true)
  if (!document || !isNode(node) || !isMap(document.contents)) return undefined
  if (how !== 'anchored' && how !== 'anchored and repeated' && !isMap(node) && how !== 'an alias') return undefined
  shareNode(document, { path, node, how })
  return documents.map((one) => one.toString({ lineWidth: 0 })).join(at >= 0 ? '---\n' : '')
}

function shareNode(
  document: Document,
  { path, node, how }: { readonly path: Path; readonly node: Node; readonly how: (typeof sharings)[number] },
): void {
  const top = document.contents
  if (!isMap(top)) return
  const origin = (value: Node) => top.items.unshift(document.createPair('x-origin', value))
  if (how === 'anchored' || how === 'anchored and repeated') {
    Object.assign(node, { anchor: 'x' })
    if (how === 'anchored and repeated') top.items.push(document.createPair('x-copy', new Alias('x')))
    return
  }
  const merge = () => document.createPair('<<', new Alias('x'))
  if (how === 'beside a merge' && isMap(node)) {
    origin(Object.assign(new YAMLMap(), { anchor: 'x' }))
    node.items.unshift(merge())
    return
  }
  const replacement = how === 'an alias' ? new Alias('x') : Object.assign(new YAMLMap(), { items: [merge()] })
  document.setIn(path, replacement)
  origin(Object.assign(node, { anchor: 'x' }))
}

function heredoc(text: string): string {
  const resources = text.split(/^---\n/m).map((one, at) => {
    return `resource "kubectl_manifest" "r${at}" { # as it was\n  yaml_body = <<-EOT\n${shift(one, '    ')}  EOT\n}\n`
  })
  return `locals { a = 1 }\n${resources.join('')}`
}
