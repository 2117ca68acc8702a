// The doctor's page: the program accepts every command on it, and every link leads to a published file.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { program } from '../cli.ts'

const page = readFileSync('docs/doctor.md', 'utf8')
const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text)
const lines = blocks.join('').split('\n')
/** Returns the commands of the page, without the program that reads their output, and without the remark. */
const commands = lines.flatMap((line) => /\bdayfly doctor\b *([^|>#]*)/.exec(line)?.[1]?.trim() ?? [])

let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'doctor-docs-'))
  for (const name of ['deploy/a.yaml', 'path/to/manifests/a.yaml']) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n')
  }
})
afterAll(() => rmSync(folder, { recursive: true }))

function run(command: string) {
  const env = { ...process.env, KUBECONFIG: path.join(folder, 'none') }
  const line = `exec '${process.execPath}' '${program}' doctor ${command}`
  return spawnSync('bash', ['-c', line], { cwd: folder, env, input: 'kind: x\n', encoding: 'utf8' })
}

it('has commands', () => {
  expect(commands.length).toBeGreaterThan(15)
})

it.each(commands.filter((command) => !/--(?:live|helm|kustomize)/.test(command)))('dayfly doctor %s', (command) => {
  const { status, stderr } = run(command)
  expect([status, stderr]).toEqual([command === '-' ? 3 : 0, expect.not.stringContaining('error ')])
})

it.each(commands.filter((command) => command.includes('--live')))(
  'asks for a cluster alone: dayfly doctor %s',
  (command) => {
    expect(run(command).stderr).toMatch(/^error (?!usage)/)
  },
)

it('names the existing options', () => {
  const help = ['help', 'help rbac', 'help baseline write'].map((command) => run(command).stdout).join('')
  const named = new Set(
    [...page.matchAll(/(?<=[\s`])--(?!prefix|save-dev|no-install|type|clusterrole|serviceaccount)[a-z][-a-z]+/g)].map(
      String,
    ),
  )
  for (const option of named) expect(help).toContain(`  ${option}`)
})

it('names only policies that the build writes', () => {
  const applied = [...page.matchAll(/kubectl \w+ -f (packages\/\S+)/g)].map(([, file = '']) => file)
  expect(new Set(applied)).toEqual(new Set(['packages/doctor/dist/doctor-policies.yaml']))
  expect(readFileSync('packages/doctor/dist/doctor-policies.yaml', 'utf8')).toContain(
    'kind: ValidatingAdmissionPolicy\n',
  )
})

it('links to existing files, and names schemas that the package contains', () => {
  for (const [, link = ''] of page.matchAll(/\]\(([^)#]+)/g))
    expect(existsSync(path.join('docs', link)), link).toBe(true)
  const schemas = [...page.matchAll(/`(dist\/\S+\.schema\.json)`/g)].map(([, file = '']) => file)
  expect(schemas).toHaveLength(2)
  for (const file of schemas) expect(existsSync(path.join('packages/doctor', file)), file).toBe(true)
})
