// The doctor's page: the program accepts every command on it, and every link leads to a published file.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { program } from '../cli.ts'
import { runHere } from '../program-here.ts'

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

/** A shell splits the command into arguments. */
function run(command: string) {
  const { stdout } = spawnSync('bash', ['-c', `printf '%s\\0' ${command}`], { cwd: folder, encoding: 'utf8' })
  const environment = { KUBECONFIG: path.join(folder, 'none') }
  return runHere(['doctor', ...stdout.split('\0').slice(0, -1)], { cwd: folder, environment })
}

function runWithInput() {
  const args = [program, 'doctor', '-']
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, input: 'kind: x\n', encoding: 'utf8' })
  return { code: status, stderr }
}

it('has commands', () => {
  expect(commands.length).toBeGreaterThan(15)
})

it.each(commands.filter((command) => !/--(?:live|helm|kustomize)/.test(command)))(
  'dayfly doctor %s',
  async (command) => {
    const { code, stderr } = command === '-' ? runWithInput() : await run(command)
    expect([code, stderr]).toEqual([command === '-' ? 3 : 0, expect.not.stringContaining('error ')])
  },
)

it.each(commands.filter((command) => command.includes('--live')))(
  'asks for a cluster alone: dayfly doctor %s',
  async (command) => {
    expect((await run(command)).stderr).toMatch(/^error (?!usage)/)
  },
)

it('names the existing options', async () => {
  const helps = await Promise.all(['help', 'help rbac', 'help baseline write'].map(run))
  const help = helps.map(({ stdout }) => stdout).join('')
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
