// The fixtures of a rule: the code blocks of its page and of its case files, `rules/<slug>.cases/<bad|good>-<what>.md`.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { type Fixture, readFixtures } from './rule-page.ts'

/** A fixture with the file that has it, such as `page` or `bad-volume`. */
export type NamedFixture = Fixture & { readonly name: string }

/** Returns the fixtures of the page, then those of the case files in alphabetical order. */
export function readRuleFixtures(slug: string): readonly NamedFixture[] {
  const named = (name: string, url: URL): readonly NamedFixture[] =>
    readFixtures(readFileSync(url, 'utf8')).map((fixture) => ({ ...fixture, name }))
  const cases = caseFiles(slug).flatMap((file) => named(file.slice(0, -3), new URL(file, folderOf(slug))))
  return [...named('page', new URL(`./rules/${slug}.md`, import.meta.url)), ...cases]
}

/** Returns the names of a rule's case files. */
export function caseFiles(slug: string): readonly string[] {
  return existsSync(folderOf(slug)) ? readdirSync(folderOf(slug)).sort() : []
}

function folderOf(slug: string): URL {
  return new URL(`./rules/${slug}.cases/`, import.meta.url)
}
