// Reads the links and anchors of a Markdown page.
import { lineAt } from './source.ts'

export type Link = { readonly target: string; readonly line: number }

/** Returns the links in prose; code blocks and inline code are left out. */
export function linksOf(text: string): Link[] {
  const prose = withoutCode(text)
  const links = /\]\(\s*<?([^()\s>]+(?:\([^()\s]*\))?)>?(?:\s+"[^"]*")?\s*\)|^\s*\[[^\]]+\]:\s+(\S+)/gm
  return [...prose.matchAll(links)].map((match) => ({
    target: match[1] ?? match[2] ?? '',
    line: lineAt(prose, match.index),
  }))
}

/** Returns the explicit ids and the ids that GitHub gives to headings. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const page = text.replace(fences, '')
  const anchors = new Set([...page.matchAll(/<\w+[^>]*?\b(?:id|name)="([^"]+)"/g)].map(([, id = '']) => id))
  const counts = new Map<string, number>()
  for (const [, heading = ''] of page.matchAll(/^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*$/gm)) {
    const slug = slugOf(heading)
    const count = counts.get(slug) ?? 0
    counts.set(slug, count + 1)
    anchors.add(count === 0 ? slug : `${slug}-${count}`)
  }
  return anchors
}

const fences = /^[ \t]*(`{3,}|~{3,})[^\n]*\n(?:[\s\S]*?\n)?[ \t]*\1[`~]*[ \t]*$/gm

function withoutCode(text: string): string {
  const blank = (match: string) => match.replace(/[^\n]/g, ' ')
  return text.replace(fences, blank).replace(/(`+)(?!`)[^\n]*?[^`\n]\1(?!`)/g, blank)
}

/** The id of a heading on GitHub: lower case, no punctuation, hyphens for spaces. */
function slugOf(heading: string): string {
  return heading
    .replace(/<[^>]*>/g, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .trim()
    .replace(/ /g, '-')
}
