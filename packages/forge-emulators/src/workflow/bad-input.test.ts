// Every problem of a file is reported quickly with file, line, column, a sentence and a next step, and never as a stack trace.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { workflowKind } from '../source/kind.ts'
import { SourceError, type SourceProblem } from '../source/problem.ts'
import { checkSource } from '../source/source.ts'
import { parseWorkflowSource, readWorkflow } from './parse.ts'

const MiB = 1024 * 1024
const job = (lines: string) => `on: push\njobs:\n  a:\n    runs-on: linux\n${lines}`
const steps = '    steps: [{ run: echo }]\n'

type Case = readonly [name: string, text: string | Buffer, place: string, code: SourceProblem['code'], sentence: RegExp]

const cases: readonly Case[] = [
  ['a syntax error', 'on: push\njobs:\n  a: [1\n  b: 2\n', '4:3', 'workflow-syntax', /not valid YAML/],
  ['a tab as indentation', 'on: push\njobs:\n\ta: 1\n', '3:1', 'workflow-syntax', /not valid YAML/],
  [
    'an unknown need',
    job(`    needs: nope\n${steps}  b: { runs-on: x, steps: [{ run: echo }] }\n`),
    '5:12',
    'workflow-invalid',
    /depends on unknown job 'nope'/,
  ],
  [
    'a needs cycle',
    `on: push\njobs:\n  z: { runs-on: x, steps: [{ run: echo }] }\n  a:\n    needs: b\n    runs-on: x\n${steps}  b:\n    needs: [z, a]\n    runs-on: x\n${steps}`,
    '5:12',
    'workflow-invalid',
    /creates a cycle/,
  ],
  [
    'a cycle of all jobs',
    `on: push\njobs:\n  a:\n    needs: a\n    runs-on: x\n${steps}`,
    '3:3',
    'workflow-invalid',
    /at least one job with no dependencies/,
  ],
  [
    'an unsupported function',
    job('    steps:\n      - run: echo ${{ nosuch(1) }}\n'),
    '6:19',
    'workflow-invalid',
    /Unrecognized function: 'nosuch'/,
  ],
  [
    'an unsupported function in if',
    job(`    if: nosuch()\n${steps}`),
    '5:9',
    'workflow-invalid',
    /Unrecognized function: 'nosuch'/,
  ],
  [
    'an unknown context',
    job('    steps:\n      - run: echo ${{ foo.bar }}\n'),
    '6:19',
    'workflow-invalid',
    /Unrecognized named-value: 'foo'/,
  ],
  [
    'a status function outside of if',
    job('    steps:\n      - run: echo ${{ success() }}\n'),
    '6:19',
    'workflow-invalid',
    /Unrecognized function/,
  ],
  [
    'an expression that is not closed',
    job('    steps:\n      - run: echo ${{ github.sha\n'),
    '6:14',
    'workflow-invalid',
    /not closed/,
  ],
  ['an unknown key', job(`    retries: 3\n${steps}`), '5:5', 'workflow-invalid', /Unexpected value 'retries'/],
  [
    'a missing key',
    'on: push\njobs:\n  a:\n    steps: [{ run: echo }]\n',
    '4:5',
    'workflow-invalid',
    /Required property is missing: runs-on/,
  ],
  [
    'the same id twice',
    job('    steps:\n      - { id: x, run: echo }\n      - { id: x, run: echo }\n'),
    '7:15',
    'workflow-invalid',
    /more than once/,
  ],
  ['an empty file', '', '1:1', 'workflow-invalid', /no workflow/],
  ['only a comment', '# nothing\n', '1:1', 'workflow-invalid', /no workflow/],
  ['a list', '- a\n- b\n', '1:1', 'workflow-invalid', /sequence was not expected/],
  ['no jobs', 'on: push\n', '1:1', 'workflow-invalid', /Required property is missing: jobs/],
  [
    'an empty matrix vector',
    job(`    strategy:\n      matrix: { x: [] }\n${steps}`),
    '6:7',
    'workflow-invalid',
    /does not contain any values/,
  ],
  [
    'a matrix of 257',
    job(`    strategy:\n      matrix: { x: [${Array.from({ length: 257 }, (_, n) => n)}] }\n${steps}`),
    '6:7',
    'workflow-invalid',
    /more than 256/,
  ],
  [
    'an unknown exclude key',
    job(`    strategy:\n      matrix: { x: [1], exclude: [{ y: 1 }] }\n${steps}`),
    '6:7',
    'workflow-invalid',
    /exclude key 'y'/,
  ],
  [
    'services',
    job(`    services: { db: { image: x } }\n${steps}`),
    '5:5',
    'workflow-unsupported',
    /Service containers/,
  ],
  ['a container', job(`    container: node:20\n${steps}`), '5:5', 'workflow-unsupported', /Job containers/],
  ['an environment', job(`    environment: production\n${steps}`), '5:5', 'workflow-unsupported', /environments/],
  ['concurrency of a job', job(`    concurrency: x\n${steps}`), '5:5', 'workflow-unsupported', /Concurrency/],
  [
    'a runner group',
    `on: push\njobs:\n  a:\n    runs-on:\n      group: big\n${steps}`,
    '5:7',
    'workflow-unsupported',
    /Runner groups/,
  ],
  [
    'a reusable workflow',
    'on: push\njobs:\n  a:\n    uses: ./.github/workflows/x.yml\n',
    '4:5',
    'workflow-unsupported',
    /Reusable workflows/,
  ],
  [
    'a workflow that is only called',
    `on: workflow_call\njobs:\n  a:\n    runs-on: x\n${steps}`,
    '1:1',
    'workflow-unsupported',
    /another workflow calls it/,
  ],
  [
    'names in success()',
    `on: push\njobs:\n  z: { runs-on: x, steps: [{ run: echo }] }\n  a:\n    needs: z\n    if: success('z')\n    runs-on: x\n${steps}`,
    '6:5',
    'workflow-unsupported',
    /success\(\)/,
  ],
  [
    'another repository',
    job('    steps:\n      - uses: actions/checkout@v4\n        with:\n          repository: a/b\n'),
    '8:11',
    'workflow-unsupported',
    /`repository`/,
  ],
  ['an alias bomb', bomb(9, 9), '1:1', 'workflow-too-large', /With its aliases expanded/],
  ['a deep alias bomb', bomb(30, 2), '1:1', 'workflow-too-large', /With its aliases expanded/],
  ['many aliases', `a: &a 1\nb: [${'*a, '.repeat(201)}]\n`, '2:805', 'workflow-too-large', /more than 200 aliases/],
  ['an alias in its own anchor', 'a: &a [*a]\n', '1:1', 'workflow-too-large', /inside its own anchor/],
  ['an unknown alias', 'on: push\njobs: *nope\n', '2:7', 'workflow-syntax', /not valid YAML/],
  ['deep nesting in flow', `a: ${'['.repeat(MiB / 2)}`, '1:', 'workflow-too-large', /nests deeper/],
  ['deep nesting in maps', `a: ${'{a: '.repeat(MiB / 5)}`, '1:', 'workflow-too-large', /nests deeper/],
  ['deep nesting in blocks', '- '.repeat(MiB / 3), '1:', 'workflow-too-large', /nests deeper/],
  ['a million keys', 'a: 1\n'.repeat(MiB / 6), '', 'workflow-too-large', /YAML tokens/],
  ['a file of 5 MB', 'a'.repeat(5_000_000), '1:1', 'workflow-too-large', /larger than 1 MiB/],
  ['a binary file', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0]), '1:5', 'workflow-binary', /not text/],
  ['a binary file further down', Buffer.from('on: push\njobs: \x01\n'), '2:7', 'workflow-binary', /not text/],
  ['text that is not UTF-8', Buffer.from([0x6f, 0x6e, 0x3a, 0x20, 0xff, 0xfe]), '1:5', 'workflow-binary', /not text/],
]

describe('bad input', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'dayfly-bad-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  for (const [index, [name, content, place, code, sentence]] of cases.entries()) {
    test(name, async () => {
      const file = path.join(folder, `${index}.yml`)
      await writeFile(file, content)
      const [problem] = await problemsOf(() => readWorkflow(file))
      expect(problem).toMatchObject({ file, code })
      expect(`${problem?.line}:${problem?.column}`).toMatch(
        new RegExp(`^${place}${place.endsWith(':') || !place ? '' : '$'}`),
      )
      expect(problem?.sentence).toMatch(sentence)
      expect(problem?.sentence).toMatch(/^[A-Z`'"].*[.!?]$/s)
      expect(problem?.next).toMatch(/^[A-Z].*\.$/)
    })
  }

  test('reports a missing path and a directory', async () => {
    const [missing] = await problemsOf(() => readWorkflow(path.join(folder, 'nope.yml')))
    expect(missing).toMatchObject({ code: 'workflow-missing', sentence: 'There is no such file.', line: 1 })
    const [directory] = await problemsOf(() => readWorkflow(folder))
    expect(directory).toMatchObject({ code: 'workflow-missing', sentence: 'This is a directory, not a workflow file.' })
  })

  test('reports at most ten problems in the order of the file', async () => {
    const keys = Array.from({ length: 20 }, (_, index) => `    key${index}: 1\n`).join('')
    const problems = await problemsOf(() => parse(job(keys + steps)))
    expect(problems.map((problem) => problem.line)).toEqual([5, 6, 7, 8, 9, 10, 11, 12, 13, 14])
  })

  test('any text of YAML-like pieces is read quickly, or refused with a problem', async () => {
    const piece = fc.constantFrom(
      ...[
        'on: push\n',
        'jobs:\n',
        '  a:\n',
        '    runs-on: x\n',
        '    steps:\n',
        '      - run: ',
        '${{ ',
        ' }}',
        "'",
        '"',
        '[',
        '{',
        '}',
        ']',
      ],
      ...[
        '&a ',
        '*a',
        '- ',
        ': ',
        '\n',
        '  ',
        '|\n',
        '? ',
        '!!map ',
        '<<: ',
        '%YAML 1.1\n',
        '---\n',
        '\t',
        '\r',
        '#',
        'if: ',
        'env: ',
        'matrix: ',
      ],
    )
    const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''))
    await fc.assert(
      fc.asyncProperty(text, async (text) => {
        const started = process.cpuUsage()
        await parse(text).catch((error) => expect(error).toBeInstanceOf(SourceError))
        expect(spentMs(started)).toBeLessThan(10_000)
      }),
      { numRuns: 1_000 },
    )
  })

  const large: readonly (readonly [string, string])[] = [
    ['one step with a long text', job(`    steps:\n      - run: ${'a'.repeat(MiB - 200)}\n`)],
    ['a long block', job(`    steps:\n      - run: |\n${'          echo\n'.repeat(50_000)}`)],
    ['many expressions in a text', job(`    steps:\n      - run: "${'${{ 1 }}'.repeat(20_000)}"\n`)],
    ['one long expression', job(`    steps:\n      - run: \${{ ${'1 && '.repeat(100_000)} 1 }}\n`)],
    ['a deep expression', job(`    steps:\n      - run: \${{ ${'('.repeat(5_000)}1${')'.repeat(5_000)} }}\n`)],
    ['an expression of bangs', job(`    if: ${'!'.repeat(20_000)}true\n${steps}`)],
    [
      'many jobs',
      `on: push\njobs:\n${Array.from({ length: 1_500 }, (_, n) => `  j${n}: { runs-on: x, needs: [${n > 0 ? `j${n - 1}` : ''}], steps: [{ run: echo }] }\n`).join('')}`,
    ],
    ['many steps', job(`    steps:\n${'      - run: echo\n'.repeat(4_000)}`)],
    ['many errors', job(Array.from({ length: 8_000 }, (_, n) => `    k${n}: 1\n`).join(''))],
  ]
  for (const [name, text] of large) {
    test(`within two seconds: ${name}`, async () => {
      const started = process.cpuUsage()
      await parse(text).catch((error) => expect(error).toBeInstanceOf(SourceError))
      expect(spentMs(started)).toBeLessThan(10_000)
    })
  }
})

async function parse(text: string) {
  return parseWorkflowSource(checkSource('test.yml', Buffer.from(text), workflowKind))
}

async function problemsOf(read: () => Promise<unknown>): Promise<readonly SourceProblem[]> {
  const started = process.cpuUsage()
  const error = await read().then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(spentMs(started)).toBeLessThan(10_000)
  expect(error).toBeInstanceOf(SourceError)
  return (error as SourceError).problems
}

/** The CPU time of this process, so that a busy machine does not change the result. */
function spentMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1_000
}

/** Returns an alias bomb: each level has `width` aliases of the level before it. */
function bomb(levels: number, width: number): string {
  const lines = ['a0: &a0 x']
  for (let level = 1; level < levels; level++) lines.push(`a${level}: &a${level} [${`*a${level - 1},`.repeat(width)}]`)
  return `${lines.join('\n')}\n`
}
