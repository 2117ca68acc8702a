// `npm run mutate:core`: changes one condition of the core at a time, and reports each change that no test notices.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { findMutants } from './mutate/mutants.ts'
import { describeReport, reportOf, requiredShare } from './mutate/report.ts'
import { testMutants } from './mutate/run.ts'
import { isTest, isTestSupport, readSource } from './tidy/source.ts'

const help = `Usage: npm run mutate:core [-- [--json] [file ...]]

Changes one condition of packages/runner-set/src/core at a time and runs the tests of packages/runner-set/src/core against each change.
A change that fails a test is killed. A change that survives shows a condition without a test.
No file of the working tree is changed.

  file     checks only this file of packages/runner-set/src/core; the default is every file
  --json   writes the result as JSON
  --help   shows this text

Exit code: 0 if at least ${requiredShare * 100} % of the changes are killed, 1 if fewer are, 2 if the check cannot run.
`

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(`mutate: ${error instanceof Error ? error.message : error}\n`)
  return 2
})

async function main(): Promise<number> {
  const options = { json: { type: 'boolean' }, help: { type: 'boolean' } } as const
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  if (values.help) {
    process.stdout.write(help)
    return 0
  }
  const mutants = chosenFiles(positionals).flatMap((file) =>
    findMutants(readSource(file, readFileSync(path.join(root, file), 'utf8'))),
  )
  const started = performance.now()
  let done = 0
  const verdicts = await testMutants(root, mutants, ({ mutant, killedBy }) => {
    done++
    if (killedBy === undefined) process.stderr.write(`survived: ${mutant.path}:${mutant.line} ${mutant.after}\n`)
    if (done % 50 === 0) process.stderr.write(`${done} of ${mutants.length}\n`)
  })
  const report = reportOf(verdicts)
  process.stderr.write(`took ${Math.round((performance.now() - started) / 1_000)} s\n`)
  process.stdout.write(values.json ? `${JSON.stringify(report, undefined, 2)}\n` : describeReport(report))
  return report.share < requiredShare ? 1 : 0
}

/** Returns the files of the core, or those of them that the arguments name. */
function chosenFiles(names: readonly string[]): readonly string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', 'packages/runner-set/src/core']
  const files = execFileSync('git', args, { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((file) => file.endsWith('.ts') && !isTest(file) && !isTestSupport(file))
  const chosen = names.map((name) => path.relative(root, path.resolve(name)).split(path.sep).join('/'))
  const unknown = chosen.find((file) => !files.includes(file))
  if (unknown !== undefined)
    throw new Error(`${unknown} is not a source of packages/runner-set/src/core; name one, or none for all`)
  return chosen.length > 0 ? chosen : files
}
