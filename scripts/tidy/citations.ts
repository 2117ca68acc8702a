// Checks that each citation and each relative link resolves, and that no comment cites what a reader cannot open.
import path from 'node:path'
import type { Documents } from './documents.ts'
import { anchorsOf, linksOf } from './links.ts'
import { type Passage, titlesOf } from './passages.ts'
import { type Finding, lineAt, readSource } from './source.ts'

/** Written out, these patterns would find themselves. */
const exempt = /^scripts\/tidy\/|^scripts\/tidy[\w-]*\.test\.ts$/
const citing = /\.(?:ts|md|cel|sh|go|mjs|yml|yaml)$|^\.ci\/run$/
const protocol = 'docs/reference/scale-set-protocol.md'

const closedSources: readonly { readonly pattern: RegExp; readonly cite: string }[] = [
  { pattern: /\bscale-set\s+protocol,?\s+(?:chapter\s+|section\s+)?\d[\d.]*/gi, cite: `${protocol}#s…` },
  { pattern: /\bKubernetes\s+reference\b/gi, cite: 'docs/reference/kubernetes.md#s…' },
  { pattern: /\bexperiments?\s+\d/gi, cite: 'docs/reference/experiments.md#e…' },
  { pattern: /\bARC\s+[1-9](?:\.\d+)?(?![\d.]*\d)/g, cite: 'docs/reference/arc.md#s…' },
  { pattern: /(?<!docs\/)\breference(?:\/|:\s+)[\w-]+\.md/g, cite: 'a page of docs/reference' },
  { pattern: /\bsketch(?::|\.md)/gi, cite: 'ARCHITECTURE.md' },
  { pattern: /\bstyle\s+guide\s+\d[\d.]*/gi, cite: 'CONTRIBUTING.md' },
  { pattern: /\bdesign\s+(?:chapter|section)s?\s+\d|\bthe\s+design\b|\bdesign\.md\b/gi, cite: 'ARCHITECTURE.md' },
]

export function checkCitations(documents: Documents): Finding[] {
  const pages = new Pages(documents)
  const findings: Finding[] = []
  for (const [file, text] of documents.texts) {
    if (!citing.test(file) || exempt.test(file)) continue
    if (file.endsWith('.md')) findings.push(...checkLinks(file, text, pages))
    for (const passage of passagesOf(file, text)) {
      findings.push(...checkPaths(file, passage, pages), ...checkClosed(file, passage))
    }
    findings.push(...checkCases(file, text, pages))
  }
  return findings
}

/** The targets that exist: a file or folder of the repository, and the anchors of a page. */
class Pages {
  readonly #known: Set<string>
  readonly #texts: ReadonlyMap<string, string>
  readonly #anchors = new Map<string, ReadonlySet<string>>()

  constructor({ files, texts }: Documents) {
    this.#texts = texts
    this.#known = new Set(files)
    for (const file of files) {
      for (let at = file.indexOf('/'); at >= 0; at = file.indexOf('/', at + 1)) this.#known.add(file.slice(0, at))
    }
  }

  /** Returns what is wrong with the target, or undefined. */
  faultOf(file: string, anchor: string | undefined): string | undefined {
    if (!this.#known.has(file) && file !== '.') return `"${file}" does not exist`
    const missing = anchor !== undefined && file.endsWith('.md') && !this.hasAnchor(file, anchor)
    return missing ? `"${file}" has no anchor "#${anchor}"` : undefined
  }

  hasAnchor(file: string, anchor: string): boolean {
    const anchors = this.#anchors.get(file) ?? anchorsOf(this.#texts.get(file) ?? '')
    this.#anchors.set(file, anchors)
    return anchors.has(anchor)
  }
}

function checkLinks(file: string, text: string, pages: Pages): Finding[] {
  return linksOf(text).flatMap(({ target, line }) => {
    if (/^[a-z][a-z\d+.-]*:|^\/\//i.test(target)) return []
    const [name = '', anchor] = target.split('#')
    const page = name === '' ? file : path.posix.join(path.posix.dirname(file), decodeURI(name)).replace(/\/$/, '')
    const fault = pages.faultOf(page, anchor)
    return fault === undefined ? [] : [finding(file, line, `the link to ${fault}`)]
  })
}

function checkPaths(file: string, { line, text }: Passage, pages: Pages): Finding[] {
  const cited = /(?<![\w/.-])((?:docs\/[\w./-]+?|[A-Z]+)\.md)(?:#([\w-]+))?(?![\w/])/g
  return [...text.matchAll(cited)].flatMap((match) => {
    const [, page = '', anchor] = match
    // A page beside the citing one, or one of the root.
    const beside = path.posix.join(path.posix.dirname(file), page)
    const fault = pages.faultOf(page, anchor)
    if (fault === undefined || pages.faultOf(beside, anchor) === undefined) return []
    return [finding(file, line + lineAt(text, match.index) - 1, `the citation of ${fault}`)]
  })
}

function checkClosed(file: string, { line, text }: Passage): Finding[] {
  return closedSources.flatMap(({ pattern, cite }) =>
    [...text.matchAll(pattern)].map((match) => {
      const message = `"${match[0].replace(/\s+/g, ' ')}" cites what a reader cannot open: cite ${cite}, or a public URL`
      return finding(file, line + lineAt(text, match.index) - 1, message)
    }),
  )
}

/** A title that begins with a number of the conformance cases names one that is listed. */
function checkCases(file: string, text: string, pages: Pages): Finding[] {
  if (!file.endsWith('.test.ts')) return []
  return titlesOf(text).flatMap(({ line, text: title }) => {
    const [, first, second] = /^cases? (\d+)(?: (?:and|to) (\d+))?\b/i.exec(title) ?? []
    return [first, second].flatMap((number) => {
      if (number === undefined || pages.hasAnchor(protocol, `case-${number}`)) return []
      return [finding(file, line, `the title names case ${number}, which ${protocol} does not list`)]
    })
  })
}

/** Returns what may cite: the comments and titles of TypeScript, other files as a whole. */
function passagesOf(file: string, text: string): readonly Passage[] {
  // A page's link targets are checked as links.
  if (!file.endsWith('.ts')) return [{ line: 1, text: text.replace(/\]\([^)\s]+\)/g, ']') }]
  return [...readSource(file, text).comments, ...(file.endsWith('.test.ts') ? titlesOf(text) : [])]
}

function finding(file: string, line: number, message: string): Finding {
  return { rule: 'citation', path: file, line, message }
}
