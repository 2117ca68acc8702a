// Takes the notes of one version from the text of CHANGELOG.md.

/** The section of a version. `date` is undefined until the heading has one: `## 1.2.0 (2027-01-31)`. */
export type Notes =
  | { readonly is: 'found'; readonly date: string | undefined; readonly text: string }
  | { readonly is: 'missing' }
  | { readonly is: 'empty' }

/** Returns the section without its heading. A section that has only headings is empty. */
export function notesOf(changelog: string, version: string): Notes {
  const [, ...sections] = changelog.replaceAll('\r\n', '\n').split(/^## /m)
  const section = sections.find((each) => /^\S*/.exec(each)?.[0] === version)
  if (section === undefined) return { is: 'missing' }
  const [heading = '', ...lines] = section.split('\n')
  if (!lines.some((line) => line.trim() !== '' && !line.startsWith('#'))) return { is: 'empty' }
  return {
    is: 'found',
    date: /\((\d{4}-\d{2}-\d{2})\)$/.exec(heading.trim())?.[1],
    text: `${lines.join('\n').trim()}\n`,
  }
}

/** Returns the notes with absolute links, because a page of a release is outside the repository. @param base the URL of its files */
export function withLinksTo(base: string, text: string): string {
  return text.replace(/\]\((?![a-z]+:|#)([^)]+)\)/g, `](${base}/$1)`)
}
