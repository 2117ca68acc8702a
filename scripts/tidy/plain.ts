// Plain English, as far as a machine can find it: banned words everywhere, banned openings of sentences and test titles.

import type { Documents } from './documents.ts'
import { forbiddenOpenings, phraseOpenings, plainWords } from './plain-words.ts'
import type { Finding } from './source.ts'

const scanned = /\.(?:ts|md|cel|sh|yml|yaml)$|^\.ci\/run$/
/** The list itself and its test; recorded words of others. */
const exempt = /^scripts\/tidy\/plain|\/recorded\/|\/samples\/|^examples\/|\.cases\//

export function checkPlainEnglish({ texts }: Documents): Finding[] {
  const findings: Finding[] = []
  for (const [path, text] of texts) {
    if (!scanned.test(path) || exempt.test(path)) continue
    findings.push(...checkWords(path, text), ...checkOpenings(path, text))
  }
  return findings
}

function checkWords(path: string, text: string): Finding[] {
  const findings: Finding[] = []
  for (const [index, line] of text.split('\n').entries()) {
    const words = line.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/_/g, ' ')
    for (const { pattern, say } of plainWords) {
      for (const [found] of words.matchAll(pattern)) {
        findings.push({ rule: 'plain', path, line: index + 1, message: `"${found}": say ${say}` })
      }
    }
  }
  return findings
}

type Passage = { readonly line: number; readonly text: string }

function checkOpenings(path: string, text: string): Finding[] {
  const lines = text.split('\n')
  const passages = path.endsWith('.ts')
    ? [...comments(lines), ...titles(lines)]
    : path.endsWith('.md')
      ? prose(lines)
      : []
  return passages.flatMap(({ line, text: passage }) =>
    sentencesOf(passage)
      .map(openingOf)
      .filter((message) => message !== undefined)
      .map((message) => ({ rule: 'plain', path, line, message })),
  )
}

/** Blocks of comments, one passage each. */
function comments(lines: readonly string[]): readonly Passage[] {
  const passages: { line: number; text: string }[] = []
  let open = false
  for (const [index, line] of lines.entries()) {
    const found = /^\s*(?:\/\/|\/\*\*|\*(?!\/))\s?(.*?)(?:\*\/)?\s*$/.exec(line)
    const text = found?.[1]
    if (text === undefined || (line.trimStart().startsWith('*') && !open)) {
      open = false
      continue
    }
    const last = passages.at(-1)
    if (open && last && !line.trimStart().startsWith('/**') && text !== '') last.text += ` ${text}`
    else passages.push({ line: index + 1, text })
    open = !line.includes('*/')
  }
  return passages
}

function titles(lines: readonly string[]): readonly Passage[] {
  return lines.flatMap((line, index) => {
    const found = /\b(?:it|test|describe)(?:\.\w+)*\((['"`])(.*?)\1/.exec(line)
    const title = found?.[2]
    return title === undefined ? [] : [{ line: index + 1, text: title[0]?.toUpperCase() + title.slice(1) }]
  })
}

/** Paragraphs, list items and headings; code blocks and tables are left out. */
function prose(lines: readonly string[]): readonly Passage[] {
  const passages: { line: number; text: string }[] = []
  let fenced = false
  let open = false
  for (const [index, line] of lines.entries()) {
    if (/^\s*(?:```|~~~)/.test(line)) fenced = !fenced
    const text = line.replace(/^[\s>]*(?:[-*+]|\d+\.|#+)?\s+|^[\s>]+/, '').replace(/^[*_[]+/, '')
    if (fenced || text === '' || /^\s*(?:\||```|~~~|<)/.test(line)) {
      open = false
      continue
    }
    const begins = /^[\s>]*(?:[-*+]|\d+\.|#+)\s/.test(line)
    const last = passages.at(-1)
    if (open && !begins && last) last.text += ` ${text}`
    else passages.push({ line: index + 1, text })
    open = !line.startsWith('#')
  }
  return passages
}

function sentencesOf(text: string): readonly string[] {
  return text.split(/(?<=[.!?:])\s+(?=[A-Z])/)
}

function openingOf(sentence: string): string | undefined {
  const [first = ''] = sentence.split(/[^A-Za-z]/, 1)
  if (sentence.trimEnd().endsWith('?')) return undefined
  if (forbiddenOpenings.includes(first)) return `a sentence begins with "${first}": begin with its subject`
  if (phraseOpenings.includes(first) && !sentence.includes(',')) {
    return `"${first} …" is a fragment: begin with its subject, or follow the phrase with a comma`
  }
  return undefined
}
