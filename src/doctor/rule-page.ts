// Reads the page of a rule: its sections, and the code blocks that are its fixtures.

/** Every page has these sections, in this order. */
export const pageSections = ['What', 'Why', 'Fix', 'Bad', 'Good', 'When not', 'Evidence'] as const

export type RulePage = {
  readonly title: string
  /** Their text, by heading. */
  readonly sections: ReadonlyMap<string, string>
  readonly fixtures: readonly Fixture[]
}

/** A code block marked `bad` or `good`. Of a bad one the marks are taken away: `# !` where the rule fires, `# ~ x` where x, or nothing, takes the place of the hazard. */
export type Fixture = {
  readonly kind: 'bad' | 'good'
  readonly text: string
  /** Numbers of the lines with `# !`, from 1. */
  readonly firesAt: readonly number[]
  /** The text without the hazard; undefined when no line has a `~`. */
  readonly cured: string | undefined
  /** The text after the fix. */
  readonly fixed: string | undefined
  /** An earlier look at the same cluster. */
  readonly earlier: Block | undefined
  /** Words of the form key=value behind `bad` or `good`. */
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

/** The page as people read it: without the marks of the tests. */
export function withoutMarks(markdown: string): string {
  return markdown
    .replace(/^```yaml (bad|good|fixed|earlier).*$/gm, '```yaml')
    .replace(mark, (_, before: string, fires: string | undefined) => (fires ? `${before} # ← here` : before))
}

const mark = /^(.*?)[ \t]+#[ \t]+(!)?[ \t]*(~.*)?$/gm

function readFixtures(markdown: string): Fixture[] {
  const fixtures: Fixture[] = []
  let earlier: Block | undefined
  for (const [, info = '', text = ''] of markdown.matchAll(/^```yaml (\S.*)\n([\s\S]*?)^```$/gm)) {
    const [kind, ...words] = info.trim().split(/\s+/)
    const options = Object.fromEntries(words.map((word) => word.split('=', 2)))
    const last = fixtures.at(-1)
    if (kind === 'earlier') earlier = { text, options }
    else if (kind === 'fixed' && last) fixtures[fixtures.length - 1] = { ...last, fixed: text }
    else if (kind === 'bad' || kind === 'good') {
      fixtures.push({ kind, ...readMarks(text), fixed: undefined, earlier, options })
      earlier = undefined
    } else throw new Error(`a code block of a rule's page is neither bad, good, fixed nor earlier: ${info}`)
  }
  return fixtures
}

function readMarks(text: string): Pick<Fixture, 'text' | 'firesAt' | 'cured'> {
  const lines = text.split('\n').map((line) => {
    const match = /^(.*?)[ \t]+#[ \t]+(?=[!~])(!)?[ \t]*(?:~(.*))?$/.exec(line)
    if (!match) return { plain: line, fires: false, cured: line as string | undefined, isCure: false }
    const [, plain = '', fires, cure] = match
    const indent = /^[ ]*(?:- )?/.exec(plain)?.[0] ?? ''
    const cured = cure === undefined ? plain : cure.trim() === '' ? undefined : indent + cure.trim()
    return { plain, fires: fires !== undefined, cured, isCure: cure !== undefined }
  })
  return {
    text: lines.map(({ plain }) => plain).join('\n'),
    firesAt: lines.flatMap(({ fires }, index) => (fires ? [index + 1] : [])),
    cured: lines.some(({ isCure }) => isCure)
      ? lines.flatMap(({ cured }) => (cured === undefined ? [] : [cured])).join('\n')
      : undefined,
  }
}
