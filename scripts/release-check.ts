// Checks that tag, packages, charts and CHANGELOG.md agree about a release: npx tsx scripts/release-check.ts [--tag vX.Y.Z --repository URL]
// Without a tag it checks what a trial needs. It publishes nothing.
import { requireAgreement } from './release/agreement.ts'
import { readFacts } from './release/facts.ts'
import { runRelease } from './release/failure.ts'
import { checkOptions } from './release/options.ts'

await runRelease(async () => {
  const publication = checkOptions(process.argv.slice(2))
  const facts = await readFacts()
  requireAgreement(facts, publication)
  process.stdout.write(`${facts.version}: ${facts.stated.length} places and CHANGELOG.md agree.\n`)
})
