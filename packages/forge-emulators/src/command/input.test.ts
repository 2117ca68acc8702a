import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { CliFailure, describeFailure } from '@dayfly/command-line/failure'
import { wholeNumber } from '@dayfly/command-line/option-values'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exampleFiles, readInput } from './input.ts'

const searchPath = process.env['PATH'] ?? ''
let folder: string

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'input-test-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function file(name: string, content: string | Buffer): string {
  const full = path.join(folder, name)
  writeFileSync(full, content)
  return full
}

const job = (text: string) => `on: push\njobs:\n  a:\n    runs-on: x\n${text}    steps:\n      - run: 'true'\n`

async function refusal(...files: readonly string[]): Promise<CliFailure> {
  const error = await readInput(files, searchPath).then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(CliFailure)
  return error as CliFailure
}

describe('bad input', () => {
  const bomb = `a: &a [x, x]\nb: &b [${'*a, '.repeat(90)}]\nc: [${'*b, '.repeat(90)}]\n${job('')}`
  test.each([
    ['a syntax error', 'on: push\njobs: [\n', 'workflow-syntax', /:[23]:\d+$/],
    ['an unknown need', job('    needs: gone\n'), 'workflow-invalid', /:\d+:\d+$/],
    ['a circle of needs', job('    needs: a\n'), 'workflow-invalid', /:\d+:\d+$/],
    ['an unknown function', job('    if: tomorrow()\n'), 'workflow-invalid', /:\d+:\d+$/],
    ['five megabytes', 'a: b\n'.repeat(1_048_576), 'workflow-too-large', /:1:1$/],
    ['an alias bomb', bomb, 'workflow-too-large', /:\d+:\d+$/],
    ['a binary file', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2]), 'workflow-binary', /:1:\d+$/],
  ])('%s', async (name, content, code, at) => {
    const failure = await refusal(file(`${name.replaceAll(' ', '-')}.yml`, content))
    expect(failure).toMatchObject({ exitCode: 2, details: { code, at: expect.stringMatching(at) } })
    expect(failure.details.sentence).toMatch(/^[A-Z].*\.$/)
    expect(failure.details.next).toMatch(/\.$/)
    expect(describeFailure(failure, false)).not.toMatch(/\n\s+at /)
  })

  test('includes a missing path', async () => {
    const failure = await refusal(path.join(folder, 'gone.yml'))
    expect(failure.details).toMatchObject({ code: 'workflow-missing', sentence: 'There is no such file.' })
  })

  test('is reported for every file at once', async () => {
    const failure = await refusal(
      path.join(folder, 'gone.yml'),
      file('bad.yml', 'on: [\n'),
      path.join(folder, 'also.yml'),
    )
    const text = describeFailure(failure, false)
    for (const name of ['gone.yml', 'bad.yml', 'also.yml']) expect(text).toContain(name)
  })
})

describe('good input', () => {
  test('comes with the repository of its file', async () => {
    const root = path.resolve(import.meta.dirname, '../../../..')
    const [input] = await readInput([path.join(root, '.github/workflows/ci.yml')], searchPath)
    expect(input?.workflow.name).toBe('ci')
    expect(input?.checkout?.root).toBe(root)
  })

  test('includes the examples of this package', async () => {
    const inputs = await readInput(exampleFiles('workflows'), searchPath)
    expect(inputs.length).toBeGreaterThanOrEqual(3)
  })
})

test('a number must be whole and within its bounds', () => {
  const jobs = wholeNumber('--jobs', 1, 100)
  expect(jobs('30')).toBe(30)
  for (const text of ['0', '101', '-1', '1.5', '1e2', 'many', '']) expect(() => jobs(text)).toThrow(CliFailure)
})
