// Finds words and openings of sentences that plain English avoids. A reader finds the rest.
import type { Documents } from './documents.ts'
import { commentsOf, type Passage, titlesOf } from './passages.ts'
import { forbiddenOpenings, phraseOpenings, plainWords } from './plain-words.ts'
import { type Finding, lineAt, readSource } from './source.ts'

const scanned = /\.(?:ts|md|cel|sh|yml|yaml)$|^\.ci\/run$/
/** The lists and their test; texts that others wrote. */
const exempt = /^scripts\/tidy[/-]plain|\/recorded\/|\/samples\/|^examples\/|\.cases\//

export function checkPlainEnglish({ texts }: Documents): Finding[] {
  const findings: Finding[] = []
  for (const [path, text] of texts) {
    if (!scanned.test(path) || exempt.test(path)) continue
    findings.push(...checkWords(path, text), ...checkOpenings(path, text))
  }
  return findings
}

/** No pattern matches the end of a line, so one pass over the whole text finds what is in its lines. */
function checkWords(path: string, text: string): Finding[] {
  const words = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/_/g, ' ')
  const found = plainWords.flatMap(({ pattern, say }) =>
    Array.from(words.matchAll(pattern), ({ 0: word, index }) => {
      return { rule: 'plain', path, line: lineAt(words, index), message: `"${word}": say ${say}` }
    }),
  )
  return found.sort((one, other) => one.line - other.line)
}

function checkOpenings(path: string, text: string): Finding[] {
  return passagesOf(path, text).flatMap(({ line, text: passage }) =>
    sentencesOf(passage)
      .map(openingOf)
      .filter((message) => message !== undefined)
      .map((message) => ({ rule: 'plain', path, line, message })),
  )
}

function passagesOf(path: string, text: string): readonly Passage[] {
  if (path.endsWith('.md')) return prose(text.split('\n'))
  // CEL has the same comments.
  if (!/\.(?:ts|cel)$/.test(path)) return []
  const titles = path.endsWith('.ts') ? titlesOf(text).map(capitalize) : []
  return [...commentsOf(readSource(path, text)), ...titles]
}

function capitalize({ line, text }: Passage): Passage {
  return { line, text: text.slice(0, 1).toUpperCase() + text.slice(1) }
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
