// Checks that tag, packages, charts and CHANGELOG.md agree about a release: npx tsx scripts/release-check.ts [--tag vX.Y.Z --repository URL]
// Without a tag it checks what a trial needs. It publishes nothing.
import { parseArgs } from 'node:util'
import { problemsOf } from './release/agreement.ts'
import { readFacts } from './release/facts.ts'
import { ReleaseFailure, runRelease } from './release/failure.ts'

await runRelease(async () => {
  const { values } = parseArgs({ options: { tag: { type: 'string' }, repository: { type: 'string' } } })
  const { tag, repository } = values
  if ((tag === undefined) !== (repository === undefined))
    throw new ReleaseFailure('options-incomplete', '--tag and --repository belong together.', 'Give both, or neither.')
  const publication = tag === undefined || repository === undefined ? undefined : { tag, repository }
  const facts = await readFacts()
  const problems = problemsOf(facts, publication)
  for (const { place, sentence, next } of problems) process.stderr.write(`${place}\n  ${sentence}\n  next: ${next}\n`)
  if (problems.length > 0) {
    const places = problems.length === 1 ? '1 place' : `${problems.length} places`
    throw new ReleaseFailure('release-disagrees', `${places} must change first.`, 'Make the changes above.')
  }
  process.stdout.write(`${facts.version}: ${facts.stated.length} places and CHANGELOG.md agree.\n`)
})
