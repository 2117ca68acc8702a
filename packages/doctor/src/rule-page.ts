// Reads the page of a rule: its sections, and the code blocks that are its fixtures.

/** The sections of every page, in this order. */
export const pageSections = ['Problem', 'Bad', 'Good', 'Fix', 'When it does not apply', 'Links'] as const

export type RulePage = {
  readonly title: string
  /** The text of each section, by heading. */
  readonly sections: ReadonlyMap<string, string>
  readonly fixtures: readonly Fixture[]
}

/**
 * A code block marked `bad` or `good`, without its line marks. In a bad block `# !` marks a line where the rule fires.
 * `# ~ x` marks a line that x replaces to remove the hazard; without x the line is removed.
 */
export type Fixture = {
  readonly kind: 'bad' | 'good'
  readonly text: string
  /** Numbers of the lines with `# !`, from 1. */
  readonly firesAt: readonly number[]
  /** The text without the hazard; undefined if no line has a `~`. */
  readonly withoutHazard: string | undefined
  /** The text after the fix. */
  readonly fixed: string | undefined
  /** An earlier read of the same cluster. */
  readonly earlier: Block | undefined
  /** Words of the form key=value after `bad` or `good`. */
  readonly options: Readonly<Record<string, string>>
}

type Block = { readonly text: string; readonly options: Readonly<Record<string, string>> }

export function readRulePage(markdown: string): RulePage {
  const sections = new Map<string, string>()
  const [head = '', ...rest] = markdown.split(/^## /m)
  for (const part of rest) {
    const end = part.indexOf('\n')
    sections.set(part.slice(0, end).trim(), part.slice(end + 1).trim())
  }
  return { title: head.replace(/^# /, '').trim(), sections, fixtures: readFixtures(markdown) }
}

/** Returns the page as people read it, without the marks of the tests. */
export function withoutMarks(markdown: string): string {
  return markdown
    .replace(/^```yaml (bad|good|fixed|earlier).*$/gm, '```yaml')
    .replace(mark, (_, before: string, fires: string | undefined) => (fires ? `${before} # ← here` : before))
}

const mark = /^(.*?)[ \t]+#[ \t]+(!)?[ \t]*(~.*)?$/gm

/**
 * Reads the marked code blocks of a page or of a case file, in order. A `fixed` block belongs to the bad block before it,
 * an `earlier` block to the block after it. A block `good fixed` is both: a good fixture and the fixed bad block.
 */
export function readFixtures(markdown: string): readonly Fixture[] {
  const fixtures: Fixture[] = []
  let earlier: Block | undefined
  for (const [, info = '', text = ''] of markdown.matchAll(/^```yaml (\S.*)\n([\s\S]*?)^```$/gm)) {
    const [kind, ...words] = info.trim().split(/\s+/)
    const options = Object.fromEntries(words.flatMap((word) => (word.includes('=') ? [word.split('=', 2)] : [])))
    const last = fixtures.at(-1)
    if (last?.kind === 'bad' && (kind === 'fixed' || words.includes('fixed'))) {
      fixtures[fixtures.length - 1] = { ...last, fixed: text }
    }
    if (kind === 'earlier') earlier = { text, options }
    else if (kind === 'bad' || kind === 'good') {
      fixtures.push({ kind, ...readMarks(text), fixed: undefined, earlier, options })
      earlier = undefined
    } else if (kind !== 'fixed') {
      throw new Error(`a code block of a rule's page is neither bad, good, fixed nor earlier: ${info}`)
    }
  }
  return fixtures
}

function readMarks(text: string): Pick<Fixture, 'text' | 'firesAt' | 'withoutHazard'> {
  const lines = text.split('\n').map((line) => {
    const match = /^(.*?)[ \t]+#[ \t]+(?=[!~])(!)?[ \t]*(?:~(.*))?$/.exec(line)
    if (!match) return { plain: line, fires: false, safe: line as string | undefined, isReplaced: false }
    const [, plain = '', fires, replacement] = match
    const indent = /^[ ]*(?:- )?/.exec(plain)?.[0] ?? ''
    const safe = replacement === undefined ? plain : replacement.trim() === '' ? undefined : indent + replacement.trim()
    return { plain, fires: fires !== undefined, safe, isReplaced: replacement !== undefined }
  })
  return {
    text: lines.map(({ plain }) => plain).join('\n'),
    firesAt: lines.flatMap(({ fires }, index) => (fires ? [index + 1] : [])),
    withoutHazard: lines.some(({ isReplaced }) => isReplaced)
      ? lines.flatMap(({ safe }) => (safe === undefined ? [] : [safe])).join('\n')
      : undefined,
  }
}
