import { describe, expect, test } from 'vitest'
import { checkArchitecture, checkHosts } from './tidy/documents.ts'
import { applyExceptions } from './tidy/exceptions.ts'
import { checkShape } from './tidy/shape.ts'
import { readSource } from './tidy/source.ts'

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
