import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { addTally, describeTally, emptyTally, type Tally } from './tally.ts'

test('prints each skip with its reason, and the counts in the last line', () => {
  const total = emptyTally()
  addTally(total, { passed: 2, failed: 1, skipped: [], left: 0 })
  addTally(total, { passed: 1, failed: 0, skipped: [{ name: 'a > b', reason: 'no Go' }], left: 4 })
  const lines = 'skipped: a > b: no Go\nleft to the whole tier: 4 tests of the same files\n'
  expect(describeTally(total)).toBe(`${lines}3 passed, 1 failed, 1 skipped\n`)
})

const sample = `
import { expect, test } from 'vitest'
test('good', () => {})
test('bad', () => expect(1).toBe(2))
test('skipped with a reason', (context) => context.skip('no Go'))
test.skip('without one', () => {})
test.todo('some day')
`

test('counts every test, and counts a skip without a reason as a failure', async () => {
  // The folder is in the repository, so that the sample finds vitest.
  const folder = mkdtempSync(path.resolve('node_modules/.tally-'))
  const file = path.join(folder, 'tally.json')
  try {
    writeFileSync(path.join(folder, 'sample.test.js'), sample)
    writeFileSync(path.join(folder, 'vitest.config.mjs'), 'export default { test: { exclude: [] } }')
    const output = await vitest(folder, { DAYFLY_TALLY: file })
    const tally = JSON.parse(readFileSync(file, 'utf8')) as Tally
    expect(tally).toEqual({
      passed: 1,
      failed: 3,
      skipped: [{ name: expect.stringContaining('with a reason'), reason: 'no Go' }],
      left: 0,
    })
    expect(output).toMatch(/FAILED .*bad/)
    expect(output).toMatch(/FAILED .*without one\nskipped without a reason/)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

function vitest(root: string, env: NodeJS.ProcessEnv): Promise<string> {
  const program = path.resolve('node_modules/vitest/vitest.mjs')
  const reporter = path.resolve('scripts/tally-reporter.ts')
  const args = [program, 'run', '--root', root, '--reporter', reporter]
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env: { ...process.env, ...env } }, (_, stdout, stderr) =>
      resolve(stdout + stderr),
    )
  })
}

test('counts no test that the pattern of names leaves out, and a listed title without a test as a failure', async () => {
  const folder = mkdtempSync(path.resolve('node_modules/.tally-'))
  const file = path.join(folder, 'tally.json')
  try {
    writeFileSync(path.join(folder, 'sample.test.js'), sample)
    const config = "export default { test: { exclude: [], testNamePattern: '^good$' } }"
    writeFileSync(path.join(folder, 'vitest.config.mjs'), config)
    const output = await vitest(folder, { DAYFLY_TALLY: file, DAYFLY_LANE: 'alone' })
    const { passed, left } = JSON.parse(readFileSync(file, 'utf8')) as Tally
    expect([passed, left]).toEqual([1, 4])
    expect(output).toMatch(/FAILED install\.md \*\n.*no test has this title/)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
