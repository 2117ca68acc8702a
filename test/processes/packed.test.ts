// Installs the packed packages in an empty folder, and runs their programs there.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'dayfly-packed-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a program, and returns its output with any exit code. */
function run(cwd: string, program: string, ...args: readonly string[]): string {
  try {
    return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    return String((error as { stdout: unknown }).stdout)
  }
}

describe.each([
  ['doctor', 'dayfly-doctor', []],
  ['dayfly', 'dayfly', ['doctor']],
])('the packed package %s', (name, bin, doctor) => {
  const home = path.join(folder, name)
  const program = path.join(home, 'node_modules/.bin', bin)

  beforeAll(() => {
    mkdirSync(home)
    const packed = run(
      root,
      'npm',
      'pack',
      '--json',
      '--ignore-scripts',
      '-w',
      `packages/${name}`,
      '--pack-destination',
      home,
    )
    const [{ filename }] = JSON.parse(packed) as [{ filename: string }]
    execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', path.join(home, filename)], { cwd: home })
  }, 60_000)

  it('needs no other package', () => {
    const lock = JSON.parse(readFileSync(path.join(home, 'package-lock.json'), 'utf8'))
    expect(Object.keys(lock.packages).filter((key) => key !== '')).toHaveLength(1)
  })

  it('has a bill of materials that names the packages of its bundle', () => {
    const bill = path.join(home, 'node_modules', name === 'doctor' ? '@dayfly/doctor' : name, 'dist/bom.cdx.json')
    const { components } = JSON.parse(readFileSync(bill, 'utf8')) as { components: { name: string }[] }
    expect(components.map((each) => each.name)).toEqual(expect.arrayContaining(['commander', 'yaml']))
  })

  it('finds the hazard of an example, and shows the page of its rule', () => {
    expect(run(home, program, ...doctor, path.join(root, 'examples/manifests'))).toContain(
      'POD101 dind-ordinary-container',
    )
    expect(run(home, program, ...doctor, 'explain', 'POD101')).toContain('native sidecar')
  })
})

it('runs the examples of the demo with npx in the folder of the packed package', () => {
  const shown = run(
    path.join(folder, 'dayfly'),
    'npx',
    '--offline',
    'dayfly',
    'demo',
    '--jobs',
    '1',
    '--exit',
    '--json',
  )
  expect(JSON.parse(shown)).toMatchObject({ jobs: 1 })
}, 60_000)
