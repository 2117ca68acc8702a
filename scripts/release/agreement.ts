// Decides whether all files of the repository name the version of a release, before anything is published.
import { ReleaseFailure } from './failure.ts'
import type { Notes } from './notes.ts'

/** A version that a file names: `packages/kit/package.json: version`. */
export type StatedVersion = { readonly place: string; readonly version: string | undefined }

export type ReleaseFacts = {
  /** The version in package.json, which decides. */
  readonly version: string
  /** Every other place with a version. */
  readonly stated: readonly StatedVersion[]
  readonly notes: Notes
  /** The repository that each published package names, by the path of its package.json. */
  readonly repositories: ReadonlyMap<string, string | undefined>
}

/** The tag of a release and the public address of its repository. A trial has neither. */
export type Publication = { readonly tag: string; readonly repository: string }

export type Problem = { readonly place: string; readonly sentence: string; readonly next: string }

/** Returns everything that forbids this release. @param publication undefined for a trial, which publishes nothing */
export function problemsOf(facts: ReleaseFacts, publication: Publication | undefined): readonly Problem[] {
  return [...versionProblems(facts), ...notesProblems(facts, publication), ...publicationProblems(facts, publication)]
}

/** Throws a `ReleaseFailure` that lists all problems, if there are any. */
export function requireAgreement(facts: ReleaseFacts, publication: Publication | undefined): void {
  const problems = problemsOf(facts, publication)
  if (problems.length === 0) return
  const lines = problems.map(({ place, sentence, next }) => `\n  ${place}\n    ${sentence} ${next}`)
  throw new ReleaseFailure(
    'release-disagrees',
    `The files do not agree about the release ${facts.version}.${lines.join('')}`,
    'Make these changes, and run it again. Nothing is published.',
  )
}

function versionProblems({ version, stated }: ReleaseFacts): readonly Problem[] {
  return stated
    .filter((each) => each.version !== version)
    .map((each) => ({
      place: each.place,
      sentence: `This is ${each.version ?? 'missing'}, and package.json has the version ${version}.`,
      next: `Set it to ${version}.`,
    }))
}

function notesProblems({ version, notes }: ReleaseFacts, publication: Publication | undefined): readonly Problem[] {
  const place = 'CHANGELOG.md'
  const next = `Write the changes of ${version} below a heading "## ${version} (YYYY-MM-DD)".`
  if (notes.is === 'missing') return [{ place, sentence: `There is no section of the version ${version}.`, next }]
  if (notes.is === 'empty') return [{ place, sentence: `The section of the version ${version} is empty.`, next }]
  if (publication === undefined || notes.date !== undefined) return []
  const sentence = `The heading of the version ${version} has no date, so the version counts as not released.`
  return [{ place, sentence, next: `Change the heading to "## ${version} (YYYY-MM-DD)".` }]
}

function publicationProblems(facts: ReleaseFacts, publication: Publication | undefined): readonly Problem[] {
  if (publication === undefined) return []
  const { tag, repository } = publication
  const expected = `v${facts.version}`
  const sentence = `The tag is ${tag}, and package.json has the version ${facts.version}.`
  const wrongTag = { place: 'the tag', sentence, next: `Tag the commit with ${expected}, or change the versions.` }
  const elsewhere = [...facts.repositories]
    .filter(([, named]) => plain(named) !== plain(repository))
    .map(([place, named]) => ({
      place: `${place}: repository`,
      sentence: `This is ${named ?? 'missing'}, but the release comes from ${repository}. npm refuses such a provenance.`,
      next: `Set "repository": "${repository}".`,
    }))
  return [...(tag === expected ? [] : [wrongTag]), ...elsewhere]
}

/** Drops what npm adds to a URL: `git+https://forge.example/a/b.git`. */
function plain(url: string | undefined): string | undefined {
  return url?.replace(/^git\+/, '').replace(/\.git$/, '')
}
