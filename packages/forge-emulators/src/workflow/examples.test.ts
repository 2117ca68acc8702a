// The examples have the documented outcomes, and the project's own workflow can be read.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { runLocally } from './local-runs.fixture.ts'
import { readWorkflow } from './parse.ts'

const root = path.resolve(import.meta.dirname, '../../../..')

const examples: readonly (readonly [file: string, conclusion: string, summary: string])[] = [
  ['hello.yml', 'success', 'greet: success run=success run_2=success'],
  [
    'pipeline.yml',
    'success',
    `build: success version=success pack=success
test: success run=success run_2=failure/success
docs: success run=success run_2=success
release: skipped
report: success run=success`,
  ],
  [
    'test-matrix.yml',
    'success',
    `primes by sieve (32 bits): success count=success run=success
primes by sieve (64 bits): success count=success run=success
primes by division (32 bits): success count=success run=success
primes by sieve (128 bits): success count=success run=success`,
  ],
  [
    'failures.yml',
    'failure',
    `fails: failure run=success run_2=failure run_3=skipped run_4=success
hangs: cancelled run=cancelled
clean-up: success run=success`,
  ],
]

describe('examples', () => {
  test.concurrent.each(examples)('%s has the documented outcome', async (file, conclusion, summary) => {
    const run = await runLocally(readFileSync(path.join(root, 'examples/workflows', file), 'utf8'))
    expect(run.summary, run.log.join('\n')).toBe(summary)
    expect(run.conclusion).toBe(conclusion)
  })
})

test("reads the project's own workflow, which does not start the demo that runs it", async () => {
  const workflow = await readWorkflow(path.join(root, '.github/workflows/ci.yml'))
  expect(workflow.jobs.length).toBeGreaterThan(0)
  const scripts = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).scripts as Record<string, string>
  for (const step of workflow.jobs.flatMap((job) => job.steps)) {
    if (step.kind !== 'run') continue
    const [, script = ''] = /npm run ([\w:]+)/.exec(step.run) ?? []
    expect(`${step.run}\n${scripts[script] ?? ''}`).not.toMatch(/\bdemo\b|npm start|npm test\b/)
  }
})
