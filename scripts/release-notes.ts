// Prints the notes of a version from CHANGELOG.md: npx tsx scripts/release-notes.ts VERSION
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { ReleaseFailure, runRelease } from './release/failure.ts'
import { notesOf } from './release/notes.ts'

await runRelease(async () => {
  const version = process.argv[2]
  if (version === undefined)
    throw new ReleaseFailure('version-missing', 'No version was given.', 'Run it with a version, for example 0.1.0.')
  const changelog = await readFile(path.resolve(import.meta.dirname, '../CHANGELOG.md'), 'utf8')
  const notes = notesOf(changelog, version)
  if (notes.is === 'found') process.stdout.write(notes.text)
  else
    throw new ReleaseFailure(
      `notes-${notes.is}`,
      `The section of the version ${version} in CHANGELOG.md is ${notes.is}.`,
      `Write the changes below a heading "## ${version} (YYYY-MM-DD)".`,
    )
})
