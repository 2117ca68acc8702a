// Prints the progress of a test run, and writes the counts for scripts/test.ts to the file in DAYFLY_TALLY.
import { writeFileSync } from 'node:fs'
import type { SerializedError } from 'vitest'
import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node'
import { fastTier, type LaneName, patternOf } from '../test/kubernetes/fast-tier.ts'
import { emptyTally, type Tally } from './tally.ts'

/** A test that takes longer is worth a line of its own. */
const slowMs = 10_000

export default class TallyReporter implements Reporter {
  readonly #tally: Tally = emptyTally()
  readonly #ran: string[] = []
  #pattern: RegExp | undefined

  onInit({ config }: Vitest): void {
    this.#pattern = config.testNamePattern
  }

  onTestCaseResult(test: TestCase): void {
    const name = `${test.module.relativeModuleId} > ${test.fullName}`
    const title = test.fullName.replaceAll(' > ', ' ')
    if (this.#pattern && !this.#pattern.test(title)) return void this.#tally.left++
    this.#ran.push(title)
    const result = test.result()
    const { duration = 0 } = test.diagnostic() ?? {}
    if (duration > slowMs) process.stdout.write(`     ${Math.round(duration / 1_000)} s: ${test.fullName}\n`)
    if (result.state === 'passed') this.#tally.passed++
    else if (result.state === 'failed') this.#fail(name, result.errors)
    else if (result.state === 'skipped') this.#skip(name, result.note)
  }

  /** A hook that fails leaves the tests of its suite skipped: only the suite knows the error. */
  onTestSuiteResult(suite: TestSuite): void {
    const errors = suite.errors()
    if (errors.length > 0) this.#fail(`${suite.module.relativeModuleId} > ${suite.fullName}`, errors)
  }

  onTestModuleEnd(module: TestModule): void {
    for (const error of module.errors()) this.#fail(module.relativeModuleId, [error])
    if (!module.ok()) return
    const { duration } = module.diagnostic()
    process.stdout.write(`  ok ${module.relativeModuleId} (${Math.round(duration)} ms)\n`)
  }

  onTestRunEnd(_modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    for (const error of unhandled) this.#fail('outside every test', [error])
    const lane = process.env['DAYFLY_LANE'] as LaneName | undefined
    for (const [title] of lane ? Object.values(fastTier[lane]).flat() : [])
      if (!this.#ran.some((name) => patternOf(title).test(name)))
        this.#fail(title, [{ message: 'no test has this title: correct test/kubernetes/fast-tier.ts' }])
    const file = process.env['DAYFLY_TALLY']
    if (file) writeFileSync(file, JSON.stringify(this.#tally))
  }

  #fail(
    name: string,
    errors: readonly {
      readonly message: string
      readonly stack?: string | undefined
      readonly diff?: string | undefined
    }[],
  ): void {
    this.#tally.failed++
    process.stdout.write(`  FAILED ${name}\n`)
    for (const { message, stack, diff } of errors) {
      process.stdout.write(`${[stack ?? message, diff ?? ''].filter((part) => part !== '').join('\n')}\n`)
    }
  }

  /** Counts a skipped test. A skip without a reason counts as a failure. */
  #skip(name: string, reason: string | undefined): void {
    if (reason) this.#tally.skipped.push({ name, reason })
    else this.#fail(name, [{ message: 'skipped without a reason: use context.skip("why")' }])
  }
}
