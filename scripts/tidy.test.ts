import { describe, expect, test } from 'vitest'
import { checkBans } from './tidy/bans.ts'
import { checkArchitecture, checkHosts } from './tidy/documents.ts'
import { applyExceptions } from './tidy/exceptions.ts'
import { checkShape } from './tidy/shape.ts'
import { readSource } from './tidy/source.ts'

describe('bans', () => {
  const check = (path: string, text: string) => checkBans([readSource(path, text)])

  test.each([
    ['const a = Date.now()'],
    ['const a = new Date()'],
    ['performance.now()'],
    ['setTimeout(run, 5)'],
    ['globalThis.setTimeout(run, 5)'],
    ['await new Promise((done) => setImmediate(done))'],
    ['Math.random()'],
    ["import { randomUUID } from 'node:crypto'"],
    ['process.env.HOME'],
    ["console.log('a')"],
    ["process.stdout.write('a')"],
    ["await fetch('http://127.0.0.1')"],
    ['AbortSignal.any([a])'],
    ['AbortSignal.timeout(5)'],
    ['const a = `${Date.now()}`'],
    ['const a = b / c / Date.now()'],
  ])('%s', (text) => {
    expect(check('packages/runner-set/src/core/a.ts', `const before = 1\n${text}\n`)).toMatchObject([
      { rule: 'ban', line: 2 },
    ])
  })

  test.each([
    ['new Date(ms).toISOString()'],
    ['// Date.now() is banned'],
    ["const a = 'Date.now()'"],
    ['const a = `Date.now()`'],
    ['const a = /Date.now()/'],
    ['await this.fetch(url)'],
    ['socket.setTimeout(5, run)'],
  ])('%s is free', (text) => {
    expect(check('packages/runner-set/src/core/a.ts', text)).toEqual([])
  })

  test('lets an edge file use only what it is the edge for', () => {
    expect(check('packages/kit/src/system.ts', 'Date.now(); setTimeout(a, 1)')).toEqual([])
    expect(check('packages/command-line/src/output.ts', "process.stdout.write('a')")).toEqual([])
    expect(check('packages/dayfly/src/command/demo.ts', 'process.env.HOME')).toEqual([])
    expect(check('packages/dayfly/src/command/demo.ts', 'Date.now()')).toHaveLength(1)
    expect(check('scripts/a.ts', 'Date.now()')).toEqual([])
    expect(check('packages/runner-set/src/core/a.test.ts', 'Date.now()')).toEqual([])
  })
})

describe('shape', () => {
  const check = (path: string, text: string) => checkShape([readSource(path, text)])

  test('limits files to 300 lines, and tests to 500', () => {
    expect(check('packages/kit/src/a.ts', 'a\n'.repeat(300))).toEqual([])
    expect(check('packages/kit/src/a.ts', 'a\n'.repeat(301))).toMatchObject([{ rule: 'size' }])
    expect(check('packages/kit/src/a.test.ts', 'a\n'.repeat(500))).toEqual([])
    expect(check('packages/kit/src/a.test.ts', 'a\n'.repeat(501))).toMatchObject([{ rule: 'size' }])
  })

  test.each([
    ['packages/kit/src/utils.ts'],
    ['packages/command-line/src/pod-helper.ts'],
    ['packages/runner-set/src/core/index.ts'],
    ['src/api/handlers.ts'],
    ['packages/kit/src/someThing.ts'],
  ])('the name %s is refused', (path) => {
    expect(check(path, '')).toMatchObject([{ rule: 'name' }])
  })

  test('accepts the name packages/cluster/src/store/owner-index.ts', () => {
    expect(check('packages/cluster/src/store/owner-index.ts', '')).toEqual([])
  })

  test.each([
    ['let count = 0'],
    ['export let count = 0'],
    ['const seen = new Map<string, number>()'],
    ['const seen: string[] = []'],
  ])('%s at module level is state', (text) => {
    expect(check('packages/kit/src/a.ts', `${text}\n`)).toMatchObject([{ rule: 'state' }])
  })

  test.each([
    ["const known = new Set(['a'])"],
    ['const none: readonly string[] = []'],
    ['const a = () => {\n  let b = 0\n}'],
  ])('%s is not state', (text) => {
    expect(check('packages/kit/src/a.ts', `${text}\n`)).toEqual([])
  })
})

describe('documents', () => {
  const files = ['ARCHITECTURE.md', 'packages/kit/src/clock.ts', 'docs/a.md']
  const check = (text: string) => checkArchitecture({ files, texts: new Map([['ARCHITECTURE.md', text]]) })

  test('finds a path in ARCHITECTURE.md that does not exist', () => {
    expect(check('`packages/kit/src/clock.ts`, `docs/` and `packages/kit/src`; `a/b` and `x.y` are no paths')).toEqual(
      [],
    )
    expect(check('`packages/kit/src/gone.ts` `docs/` \n`packages/kit/src/`')).toMatchObject([
      { line: 1, message: expect.stringMatching('gone') },
    ])
  })

  test('finds a room that ARCHITECTURE.md does not name', () => {
    expect(check('`docs/`')).toMatchObject([{ message: expect.stringContaining('packages/kit') }])
  })

  test('finds the host of a registry', () => {
    const host = ['registry', 'npmjs', 'org'].join('.')
    const texts = new Map([['package-lock.json', `{\n"resolved": "https://${host}/a"}`]])
    expect(checkHosts({ files: [], texts })).toMatchObject([{ rule: 'host', line: 2 }])
  })
})

describe('exceptions', () => {
  const finding = { rule: 'size', path: 'packages/kit/src/a.ts', line: 1, message: 'too long' }

  test('removes a listed finding', () => {
    expect(applyExceptions([finding], 'list', 'size packages/kit/src/a.ts  # one table, read as a whole\n')).toEqual([])
  })

  test.each([
    ['size packages/kit/src/a.ts', /is not/],
    ['ban packages/kit/src/b.ts  # was needed once', /no longer necessary/],
  ])('%s is refused', (line, message) => {
    const broken = applyExceptions([], 'list', `${line}\n`)
    expect(broken).toMatchObject([{ rule: 'exception', message: expect.stringMatching(message) }])
  })

  test('accepts at most ten exceptions', () => {
    const findings = Array.from({ length: 11 }, (_, index) => ({ ...finding, path: `packages/kit/src/${index}.ts` }))
    const list = findings.map(({ path }) => `size ${path}  # one table, read as a whole`).join('\n')
    expect(applyExceptions(findings, 'list', list)).toMatchObject([{ message: '11 exceptions, at most 10' }])
  })
})
