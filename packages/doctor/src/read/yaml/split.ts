// Splits a stream into documents: at the markers in column 0, which end every construct of YAML, or between values of JSON.
// Most documents then need no parser.
import type { Span } from './span.ts'

export function splitDocuments(text: string): Span[] {
  const first = text.charCodeAt(0) === 0xfeff ? 1 : 0
  if (/^\uFEFF?\s*\{\s*"/.test(text) && /\}\s*\{\s*"/.test(text)) return splitValues(text, first)
  if (!text.includes('\n---') && !text.includes('\n...')) return [{ start: first, end: text.length }]
  const chunks: Span[] = []
  let start = first
  for (const match of text.matchAll(/^(---|\.\.\.)(?=[ \t\r\n]|$)/gm)) {
    if (match.index > start) chunks.push({ start, end: match.index })
    start = match[1] === '---' ? match.index : match.index + 3
  }
  if (start < text.length) chunks.push({ start, end: text.length })
  return chunks
}

/** Splits JSON values that follow each other without a separator, as kubectl accepts them. */
function splitValues(text: string, first: number): Span[] {
  const spans: Span[] = []
  let start = first
  let depth = 0
  for (const { 0: part, index } of text.matchAll(/"(?:[^"\\\n]|\\.)*"?|[[\]{}]/g)) {
    if (part === '{' || part === '[') depth++
    else if ((part === '}' || part === ']') && --depth === 0) {
      spans.push({ start, end: index + 1 })
      start = index + 1
    }
  }
  if (text.slice(start).trim() !== '') spans.push({ start, end: text.length })
  return spans
}

/** Whether the text may hold a manifest. A text without these words holds nothing that a rule reads. */
export function mayHoldManifest(text: string): boolean {
  return /\bkind["']?[ \t]*:|\bcontainers["']?[ \t]*:/.test(text)
}

/** Whether the text may install ARC's charts: a chart with dependencies, a helmfile. */
export function mayInstallCharts(text: string): boolean {
  return /\b(?:name|chart)["']?:[ \t]*["']?\S*gha-runner-scale-set/.test(text)
}

/** Whether the text may hold values of ARC's chart of runner sets, also without a pod template. */
export function mayHoldRunnerValues(text: string): boolean {
  return /\b(?:githubConfigUrl|runnerScaleSetName)["']?[ \t]*:/.test(text)
}

/** Whether the text may hold an object of Terraform, whose keys precede `=`. */
export function mayHoldObject(text: string): boolean {
  return /\bkind["']?[ \t]*[:=]|\bcontainers["']?[ \t]*[:=]/.test(text)
}
