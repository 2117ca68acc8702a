import { describe, expect, test } from 'vitest'
import { checkArrows, checkRooms } from './tidy/arrows.ts'
import { checkBans } from './tidy/bans.ts'
import { checkArchitecture, checkHosts } from './tidy/documents.ts'
import { applyExceptions } from './tidy/exceptions.ts'
import { checkFolders } from './tidy/folders.ts'
import { checkShape } from './tidy/shape.ts'
import { readSource } from './tidy/source.ts'

const arrow = (from: string, to: string, others: readonly string[] = []) =>
  checkArrows([readSource(from, `import { a } from '${to}'\n`), ...others.map((path) => readSource(path, ''))])

describe('arrows', () => {
  test.each([
    ['packages/kit/src/a.ts', '../model/b.ts'],
    ['packages/runner-set/src/model/a.ts', '../core/b.ts'],
    ['packages/runner-set/src/core/a.ts', '../kubernetes/b.ts'],
    ['packages/runner-set/src/core/a.ts', 'node:fs'],
    ['packages/runner-set/src/model/a.ts', 'zod'],
    ['packages/kubernetes/src/a.ts', '../embedded/b.ts'],
    ['packages/controller/src/a.ts', '../forge/github/b.ts'],
    ['packages/cluster/src/api/a.ts', '../../model/b.ts'],
    ['packages/forge-emulators/src/github/a.ts', '../../forge/forge.ts'],
    ['packages/command-line/src/a.ts', '../../scripts/b.ts'],
    ['src/unheard/a.ts', '../lib/b.ts'],
    ['packages/kit/src/a.ts', './b.test.ts'],
    ['packages/forges/src/github/a.ts', '../gitea/b.ts'],
    ['packages/doctor/src/rules/a.ts', './b.ts'],
    ['packages/cluster/src/runtime/process/a.ts', '../scripted/b.ts'],
  ])('%s may not import %s', (from, to) => {
    expect(arrow(from, to)).toHaveLength(1)
  })

  test.each([
    ['packages/runner-set/src/model/a.ts', '../lib/b.ts'],
    ['packages/controller/src/a.ts', '../forge/forge.ts'],
    ['packages/controller/src/a.ts', 'pino'],
    ['packages/command-line/src/a.ts', '../forge/github/b.ts'],
    ['packages/forges/src/github/a.ts', '../forge.ts'],
    ['packages/doctor/src/rules/catalogue.ts', './a.ts'],
    ['packages/kit/src/a.test.ts', '../embedded/b.ts'],
    ['bench/a.ts', '../src/lib/b.ts'],
  ])('%s may import %s', (from, to) => {
    expect(arrow(from, to)).toEqual([])
  })

  test.each([
    ["import type { A } from '../core/b.ts'"],
    ["export { a } from '../core/b.ts'"],
    ["import {\n  a,\n  b,\n} from '../core/b.ts'"],
    ["import '../core/b.ts'"],
    ["const load = () => import('../core/b.ts')"],
  ])('reads %j', (text) => {
    expect(checkArrows([readSource('packages/kit/src/a.ts', text)])).toMatchObject([{ rule: 'arrow' }])
  })

  test.each([
    ['packages/runner-set/src/core/a.ts', './b.fixture.ts'],
    ['packages/command-line/src/a.ts', '../lib/clock.fixture.ts'],
    ['packages/forges/src/github/a.ts', '../contract.ts'],
    ['packages/kubernetes/src/a.ts', './testing/b.ts'],
  ])('%s may not import the test support %s', (from, to) => {
    expect(arrow(from, to)).toMatchObject([{ rule: 'arrow', message: expect.stringContaining('only tests') }])
  })

  test.each([
    ['packages/runner-set/src/core/a.test.ts', './b.fixture.ts'],
    ['packages/runner-set/src/core/a.fixture.ts', '../lib/b.fixture.ts'],
    ['packages/forges/src/contract.ts', '../lib/clock.fixture.ts'],
    ['packages/kubernetes/src/testing/a.ts', './b.ts'],
    ['test/stage.ts', '../src/lib/clock.fixture.ts'],
    ['packages/command-line/src/a.ts', './testing-room.ts'],
  ])('%s may import %s', (from, to) => {
    expect(arrow(from, to)).toEqual([])
  })

  test('applies the arrows to test support', () => {
    expect(arrow('packages/kit/src/a.fixture.ts', '../core/b.ts')).toHaveLength(1)
  })

  test('finds a room of the table that does not exist', () => {
    const rooms = [
      'lib',
      'model',
      'core',
      'config',
      'kubernetes',
      'forge',
      'controller',
      'embedded',
      'emulator',
      'doctor',
      'lab',
      'migrate',
      'operate',
    ]
    const files = rooms.map((room) => `src/${room}/a.ts`)
    expect(checkRooms([...files, 'packages/command-line/src/a.ts'])).toEqual([])
    expect(checkRooms(files)).toMatchObject([
      { message: 'names the room packages/command-line/src, which does not exist' },
    ])
  })

  test('reports a circle of imports once', () => {
    const sources = [
      readSource('packages/kit/src/a.ts', "import { b } from './b.ts'"),
      readSource('packages/kit/src/b.ts', "import { c } from './c.ts'"),
      readSource('packages/kit/src/c.ts', "import type { A } from './a.ts'"),
    ]
    expect(checkArrows(sources)).toMatchObject([
      {
        rule: 'cycle',
        message: expect.stringContaining(
          'packages/kit/src/a.ts → packages/kit/src/b.ts → packages/kit/src/c.ts → packages/kit/src/a.ts',
        ),
      },
    ])
  })

  test('ignores imports in comments and strings', () => {
    const text = "// import { a } from '../core/a.ts'\nconst b = `\nimport { a } from '../core/a.ts'\n`\n"
    expect(checkArrows([readSource('packages/kit/src/a.ts', text)])).toEqual([])
  })
})

describe('folders', () => {
  const table = { '.': ['act', 'observe'], act: ['guard.ts'], observe: [] }
  const files = [
    'packages/controller/src/a.ts',
    'packages/controller/src/act/a.ts',
    'packages/controller/src/observe/a.ts',
  ]
  const check = (from: string, to: string) => {
    const sources = [...files, 'src/other/a.ts'].filter((file) => file !== from).map((file) => readSource(file, ''))
    return checkFolders([readSource(from, `\nimport { a } from '${to}'\n`), ...sources], { controller: table })
  }

  test.each([
    ['packages/controller/src/act/a.ts', '../observe/b.ts'],
    ['packages/controller/src/act/a.ts', '../loop.ts'],
    ['packages/controller/src/act/deep/a.ts', '../../observe/b.ts'],
    ['packages/controller/src/observe/a.ts', '../guard.ts'],
  ])('%s may not import %s', (from, to) => {
    expect(check(from, to)).toMatchObject([{ rule: 'folder', path: from, line: 2 }])
  })

  test.each([
    ['packages/controller/src/a.ts', './act/b.ts'],
    ['packages/controller/src/a.ts', './b.ts'],
    ['packages/controller/src/act/a.ts', '../guard.ts'],
    ['packages/controller/src/act/a.ts', './deep/b.ts'],
    ['packages/controller/src/act/a.ts', '../../lib/b.ts'],
    ['packages/controller/src/act/a.test.ts', '../observe/b.ts'],
    ['packages/controller/src/act/a.fixture.ts', '../observe/b.ts'],
    ['src/other/act/a.ts', '../observe/b.ts'],
  ])('%s may import %s', (from, to) => {
    expect(check(from, to)).toEqual([])
  })

  test('finds a folder without a row, and a row without a folder', () => {
    expect(check('packages/controller/src/elect/a.ts', './b.ts')).toMatchObject([
      { path: 'packages/controller/src/elect/a.ts' },
    ])
    expect(
      checkFolders([readSource('packages/controller/src/a.ts', '')], { controller: { '.': [], gone: [] } }),
    ).toMatchObject([{ message: 'the table of packages/controller/src names the folder gone, which has no files' }])
  })
})

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
    expect(
      check(
        '`packages/kit/src/clock.ts`, `lib/clock.ts`, `docs/` and `packages/kit/src`; `a/b` and `x.y` are no paths',
      ),
    ).toEqual([])
    expect(check('`packages/kit/src/gone.ts` `docs/` \n`packages/kit/src/`')).toMatchObject([
      { line: 1, message: expect.stringMatching('gone') },
    ])
  })

  test('finds a room that ARCHITECTURE.md does not name', () => {
    expect(check('`docs/`')).toMatchObject([{ message: expect.stringContaining('packages/kit/src') }])
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
