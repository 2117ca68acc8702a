// `dayfly import arc` as an operator runs it.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseRunnerSet } from '@dayfly/runner-set/config/runner-set'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { runCli } from '../cli.ts'
import { runHere } from '../program-here.ts'
import { guideSteps } from './guide-pages.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'import-arc-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function put(name: string, text: string): string {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
  writeFileSync(path.join(folder, name), text)
  return name
}

function importArc(...args: readonly string[]) {
  return runHere(['import', 'arc', ...args], { cwd: folder, environment: { KUBECONFIG: path.join(folder, 'none') } })
}

const values = `githubConfigUrl: https://github.com/acme
githubConfigSecret: {github_token: ghp_0123456789abcdefghij}
runnerScaleSetName: linux
maxRunners: 5
`

it('prints documents to stdout and the report to stderr, without the credential of the input', async () => {
  put('a/values.yaml', values)
  put('b/values.yaml', values.replace('linux', 'gpu'))
  const { code, stdout, stderr } = await runCli(['import', 'arc', '.', '-n', 'ci'], { cwd: folder })
  expect(code).toBe(0)
  const documents = parseAllDocuments(stdout).map((document) => document.toJS())
  expect(documents.map(({ metadata }) => metadata.name)).toEqual(['linux', 'gpu'])
  for (const document of documents) expect(parseRunnerSet(document)).toMatchObject({ ok: true })
  expect(stderr).toContain('The set ci/gpu, from the values file in b/values.yaml:')
  expect(stderr).toContain('kubectl create secret generic gpu-github -n ci --from-file=github_token=FILE')
  expect(stdout + stderr).not.toContain('ghp_')
})

it('writes one file for each set and a report, and follows no symbolic link', async () => {
  put('values.yaml', values)
  put('precious', 'keep')
  mkdirSync(path.join(folder, 'sets'))
  symlinkSync(path.join(folder, 'precious'), path.join(folder, 'sets/linux.yaml'))
  expect((await importArc('values.yaml', '--out', 'sets')).code).toBe(0)
  expect(readFileSync(path.join(folder, 'precious'), 'utf8')).toBe('keep')
  expect(readdirSync(path.join(folder, 'sets')).sort()).toEqual(['linux.yaml', 'report.txt'])
  expect(readFileSync(path.join(folder, 'sets/report.txt'), 'utf8')).toContain('kubectl apply --dry-run=server -f sets')
})

it('writes values of the chart for each namespace', async () => {
  put('values.yaml', values)
  const { code, stdout } = await importArc('values.yaml', '-n', 'ci', '--as', 'values')
  expect(code).toBe(0)
  expect(parse(stdout)).toMatchObject({
    sets: { linux: { github: { url: 'https://github.com/acme' }, scale: { max: 5 } } },
  })
})

it('names the labels that the values of the chart cannot hold', async () => {
  put('one.yaml', `${values.replace('linux', 'one')}labels: { team: a, shared: x }\n`)
  put('two.yaml', `${values.replace('linux', 'two')}labels: { team: b, shared: x }\n`)
  const { stderr, stdout } = await importArc('one.yaml', 'two.yaml', '-n', 'ci', '--as', 'values')
  expect(parse(stdout).labels).toEqual({ shared: 'x' })
  expect(stderr.replace(/\s+/g, ' ')).toContain('These are left out: team of ci/one, team of ci/two.')
})

it('names the file whose values make no set', async () => {
  const chart = 'oci://ghcr.io/actions/actions-runner-controller-charts'
  const dependency = `{name: gha-runner-scale-set, version: 0.14.1, repository: ${chart}}`
  put('Chart.yaml', `apiVersion: v2\nname: runners\nversion: 1.0.0\ndependencies: [${dependency}]\n`)
  put(
    'values.yaml',
    `githubConfigUrl: https://github.com/acme\ngha-runner-scale-set:\n${values.replace(/^/gm, '  ')}\n`,
  )
  const { stderr } = await importArc('.', '-n', 'ci')
  expect(stderr.replace(/\s+/g, ' ')).toContain('dropped values.yaml: No dependency of the chart gets these values')
})

it('prints sets and report as JSON', async () => {
  put('base.yaml', values)
  put('more.yaml', 'maxRunners: 9\n')
  const { code, stdout } = await importArc('--values', 'base.yaml', '--values', 'more.yaml', '--json')
  expect(code).toBe(0)
  const [set] = JSON.parse(stdout).sets
  expect(set.document.spec.scale).toEqual({ max: 9 })
  expect(set.report).toContainEqual({ file: 'more.yaml', path: 'maxRunners', is: 'kept', sentence: 'spec.scale.max' })
})

it('prints what docs/guide/from-arc.md shows', async () => {
  const [commands, output] = guideSteps('from-arc').flatMap((step) =>
    step.does === 'run' && step.output ? [step.block.text, step.output.text] : [],
  )
  const [, text = ''] = /<<EOF\n([\s\S]*?)\nEOF\n/.exec(commands ?? '') ?? []
  put('arc-values.yaml', text)
  expect(commands).toMatch(/\ndayfly import arc arc-values.yaml -n "\$RUNNER_NAMESPACE" --out arc-sets$/)
  expect((await importArc('arc-values.yaml', '-n', 'ci', '--out', 'arc-sets')).stdout.trimEnd()).toBe(output)
})

it('fails with a code, a sentence and a next step', async () => {
  put('empty.yaml', 'a: 1\n')
  put('values.yaml', values)
  put('twice/values.yaml', values)
  put('file', '')
  const rows: readonly (readonly [readonly string[], number, RegExp])[] = [
    [[], 2, /^error usage: Nothing to import/],
    [['nowhere'], 2, /^error path-missing: .*"nowhere"/],
    [['empty.yaml'], 2, /^error no-runners: /],
    [['--helm-release', 'linux'], 2, /^error usage: --helm-release needs the namespace/],
    [['--live'], 2, /^error kubeconfig-missing: /],
    [['values.yaml', 'twice', '--as', 'values'], 2, /^error name-taken: /],
    [['values.yaml', '--out', 'file/x'], 1, /^error output-unwritable: /],
  ]
  for (const [args, code, message] of rows) {
    const ended = await importArc(...args)
    expect([args, ended.code, ended.stdout]).toEqual([args, code, ''])
    expect(ended.stderr).toMatch(message)
    expect(ended.stderr).toMatch(/\n {2}next: \S/)
  }
})
