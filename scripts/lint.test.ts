// Proves that Biome refuses each import and each ambient use that biome.json and scripts/biome ban: a rule that never fires looks like order.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '..')
const finding =
  /title=(?:lint\/\w+\/)?(noImportCycles|noProcessEnv|noRestrictedGlobals|noRestrictedImports|plugin),file=.*?(packages\/[^,]*),/

const from = (specifier: string) => `import { a } from '${specifier}'\nexport const b = a`

const refused: readonly (readonly [file: string, text: string, rule: string])[] = [
  ...['.fixture.ts', '.test.ts'].map((end) => ['kit/src/a.ts', from(`./b${end}`), 'plugin'] as const),
  ['kit/src/one.ts', "import type { Two } from './two.ts'\nexport type One = Two", 'noImportCycles'],
  ['kit/src/two.ts', "import { one } from './one.ts'\nexport type Two = typeof one", 'noImportCycles'],
  ['kit/src/a.ts', from('@dayfly/cluster/pod-stage.fixture'), 'plugin'],
  ['kit/src/a.ts', "export { a } from './b.fixture.ts'", 'plugin'],
  ['kit/src/a.ts', "import type { A } from './b.fixture.ts'\nexport type B = A", 'plugin'],
  ['kit/src/a.ts', "export const a = () => import('./testing/b.ts')", 'plugin'],
  ['kit/src/a.ts', from('../../cluster/src/cluster.ts'), 'plugin'],
  ['kit/src/a.fixture.ts', from('../../../scripts/build.ts'), 'plugin'],
  ['runner-set/src/model/a.ts', from('zod'), 'plugin'],
  ['runner-set/src/model/a.ts', from('../core/decide.ts'), 'plugin'],
  ['runner-set/src/core/a.ts', "import 'node:fs'", 'plugin'],
  ['runner-set/src/core/state/a.ts', from('@dayfly/kubernetes/types'), 'plugin'],
  ['runner-set/src/core/state/a.ts', from('../../config/crd.ts'), 'plugin'],
  ['runner-set/src/config/a.ts', from('../core/decide.ts'), 'plugin'],
  ['runner-set/src/forge/a.ts', from('../core/decide.ts'), 'plugin'],
  ['forges/src/github/a.ts', from('../bitbucket/b.ts'), 'plugin'],
  ['forge-emulators/src/bitbucket/a.ts', from('../github/b.ts'), 'plugin'],
  ['doctor/src/rules/a.ts', from('./b.ts'), 'plugin'],
  ['dayfly/src/lab/incidents/a.ts', from('./b.ts'), 'plugin'],
  ...['../pod-cache.ts', '../state.ts', '../set-state.ts', '../state-tables.ts'].map(
    (file) => ['controller/src/act/a.ts', from(file), 'plugin'] as const,
  ),
  ['controller/src/act/a.ts', from('@dayfly/runner-set/core/state/fold'), 'plugin'],
  ['controller/src/observe/a.ts', from('../act/act.ts'), 'plugin'],
  ['cluster/src/store/a.ts', from('../api/kinds.ts'), 'plugin'],
  ['cluster/src/api/a.ts', from('../wire/b.ts'), 'plugin'],
  ['cluster/src/controllers/job/a.ts', from('../../kubelet/b.ts'), 'plugin'],
  ['cluster/src/kubelet/a.ts', from('../controllers/b.ts'), 'plugin'],
  ['cluster/src/runtime/process/a.ts', from('../../store/b.ts'), 'plugin'],
  ['cluster/src/wire/a.ts', from('../kubelet/b.ts'), 'plugin'],
  ...['Date.now()', 'new Date()', 'Date()', 'performance.now()', 'Math.random()', '`${Date.now()}`'].map(
    (text) => ['kit/src/a.ts', `export const a = ${text}`, 'plugin'] as const,
  ),
  ['kit/src/a.ts', 'export const a = AbortSignal.timeout(5)', 'plugin'],
  ['kit/src/a.fixture.ts', 'export const a = AbortSignal.any([])', 'plugin'],
  ['kit/src/a.ts', "process.stdout.write('a')", 'plugin'],
  ['command-line/src/a.ts', "process.stderr.write('a')", 'plugin'],
  ['dashboard/src/web/a.ts', 'export const a = Date.now()', 'plugin'],
  ['dashboard/src/web/a.ts', 'export const a = () => 1\nsetTimeout(a, 5)', 'noRestrictedGlobals'],
  ['kit/src/a.ts', 'export const a = process.env.HOME', 'noProcessEnv'],
  ...['setTimeout(a, 5)', 'setInterval(a, 5)', 'setImmediate(a)', 'globalThis.setTimeout(a, 5)', 'console.log(a)'].map(
    (text) => ['kit/src/a.ts', `export const a = () => 1\n${text}`, 'noRestrictedGlobals'] as const,
  ),
  ['kit/src/a.ts', "await fetch('http://127.0.0.1')", 'noRestrictedGlobals'],
  ...['randomUUID', 'randomBytes', 'randomInt', 'getRandomValues'].map(
    (name) => ['kit/src/a.ts', `export { ${name} } from 'node:crypto'`, 'noRestrictedImports'] as const,
  ),
  ['kit/src/a.ts', "export { z } from 'zod'", 'noRestrictedImports'],
]

const accepted: readonly (readonly [file: string, text: string])[] = [
  ['kit/src/a.ts', from('./testing-room.ts')],
  ['kit/src/a.fixture.ts', from('./b.fixture.ts')],
  ['kit/src/a.test.ts', `${from('./b.fixture.ts')}\nexport const now = Date.now()`],
  ['runner-set/src/core/a.ts', from('../model/runner.ts')],
  ['runner-set/src/core/a.ts', from('@dayfly/kit/random')],
  ['forges/src/github/a.ts', from('@dayfly/runner-set/forge/forge')],
  ['doctor/src/rules/a.ts', from('../pods/pod-views.ts')],
  ['doctor/src/rules/catalogue.ts', from('./b.ts')],
  ['controller/src/act/a.ts', from('../observe/pod-facts.ts')],
  ['controller/src/act/a.ts', from('@dayfly/kubernetes/statement')],
  ['cluster/src/wire/a.ts', from('../api/registry.ts')],
  ['kit/src/a.ts', "export const a = (ms: number) => [new Date(ms), 'Date.now()', /Date.now()/] // Date.now()"],
  ['kit/src/a.ts', 'export const a = (socket: { setTimeout(ms: number): void }) => socket.setTimeout(5)'],
  ['kit/src/system.ts', "import { randomBytes } from 'node:crypto'\nsetTimeout(() => randomBytes(Date.now()), 1)"],
  ['kit/src/a.ts', "export * as z from 'zod'"],
  ['kit/src/virtual-clock.ts', 'setImmediate(() => 1)'],
  ['dashboard/src/web/browser.ts', 'setTimeout(() => fetch(`${Date.now()}`), 1)'],
  ['command-line/src/output.ts', "process.stdout.write('a')"],
  ['cluster/src/command/a.ts', 'export const a = process.env.HOME'],
  ['forge-emulators/src/runner/main.ts', 'process.stdout.write(`${process.env.HOME}`)'],
]

const folder = mkdtempSync(path.join(tmpdir(), 'dayfly-lint-'))
const found = new Map<string, string[]>()

beforeAll(() => {
  for (const name of ['biome.json', 'scripts/biome'])
    cpSync(path.join(root, name), path.join(folder, name), { recursive: true })
  execFileSync('git', ['init', '-q'], { cwd: folder })
  for (const [file, text] of [...refused, ...accepted].map(placed)) {
    mkdirSync(path.join(folder, path.dirname(file)), { recursive: true })
    writeFileSync(path.join(folder, file), `${text}\n`)
  }
  const args = ['lint', '--max-diagnostics=none', '--reporter=github', 'packages']
  const { stdout } = spawnSync(path.join(root, 'node_modules/.bin/biome'), args, { cwd: folder, encoding: 'utf8' })
  for (const line of stdout.split('\n')) {
    const [, rule, at] = finding.exec(line) ?? []
    if (rule !== undefined && at !== undefined) found.set(at, [...(found.get(at) ?? []), rule])
  }
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('Biome', () => {
  it.each(refused.map((row, index) => [...placed(row, index), row[2]] as const))(
    'refuses in %s: %s',
    (file, _, rule) => {
      expect(found.get(file)).toEqual([rule])
    },
  )

  it.each(accepted.map((row, index) => placed(row, refused.length + index)))('accepts in %s: %s', (file) => {
    expect(found.get(file)).toBeUndefined()
  })
})

/** Gives each file named `a` a name of its own, so that one run of Biome reads all of them. */
function placed([file, text]: readonly [string, string, ...string[]], index: number) {
  return [`packages/${file.replace(/(?<=\/)a\./, `a-${index}.`)}`, text] as const
}
