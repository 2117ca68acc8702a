// Runs the step of the GitHub action in a shell, as the runner does.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { parse } from 'yaml'
import { program } from '../cli.ts'

type Action = {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>
  readonly runs: { readonly steps: readonly { id?: string; run: string; env?: Readonly<Record<string, string>> }[] }
}

const job = `apiVersion: batch/v1
kind: Job
metadata: {name: runner}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - {name: runner, image: "bitbucket-pipelines-runner:6"}
        - {name: docker, image: "docker:27-dind"}
`

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'doctor-action-'))
  for (const name of ['.git', 'a b', 'c']) mkdirSync(path.join(folder, name))
  writeFileSync(path.join(folder, 'a b', 'job.yaml'), job)
  writeFileSync(path.join(folder, 'c', 'map.yaml'), 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n')
})
afterEach(() => rmSync(folder, { recursive: true }))

function run(given: Readonly<Record<string, string>> = {}) {
  const { inputs, runs } = parse(readFileSync('action.yml', 'utf8')) as Action
  const step = runs.steps.find(({ id }) => id === 'doctor')
  const withInputs = (text: string) =>
    text.replace(/\$\{\{ inputs\.([a-z-]+) \}\}/g, (_, name: string) => given[name] ?? String(inputs[name]?.default))
  const own = Object.entries(step?.env ?? {}).map(([name, text]) => [name, withInputs(text)] as const)
  const output = path.join(folder, '.git', 'output')
  writeFileSync(output, '')
  const env = {
    PATH: process.env['PATH'],
    GITHUB_ACTION_PATH: process.cwd(),
    GITHUB_OUTPUT: output,
    RUNNER_TEMP: path.join(folder, '.git'),
    ...Object.fromEntries(own),
  }
  const shell = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step?.run ?? 'exit 99']
  const { status, stdout, stderr } = spawnSync('bash', shell, { cwd: folder, env, encoding: 'utf8' })
  const report = readFileSync(readFileSync(output, 'utf8').trim().replace('report=', ''), 'utf8')
  return { status, stdout, stderr, report }
}

it('annotates the whole repository, and fails', () => {
  const { status, stdout, report } = run()
  expect(status).toBe(1)
  expect(stdout).toMatch(/^::error file=a b\/job\.yaml,line=10,/)
  expect(report).toBe(stdout)
})

it('takes paths one a line, a version, a severity and a baseline', () => {
  expect(run({ path: 'c\n' })).toMatchObject({ status: 0, stdout: expect.stringContaining('no findings') })
  const severe = run({ path: 'a b\nc\n', 'kubernetes-version': '1.33', 'min-severity': 'error' })
  expect(severe.stdout.match(/^::\w+/gm)).toEqual(['::error'])
  const command = [program, 'doctor', 'baseline', 'write', '--file', 'known findings.json']
  spawnSync(process.execPath, command, { cwd: folder })
  expect(run({ baseline: 'known findings.json' })).toMatchObject({ status: 0 })
})

it('writes SARIF to a file, and fails only on wrong usage', () => {
  const { status, stdout, report } = run({ format: 'sarif' })
  expect([status, stdout]).toEqual([0, ''])
  expect(JSON.parse(report).runs[0].results.length).toBeGreaterThan(2)
  expect(run({ format: 'sarif', path: 'nope' })).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('path-missing'),
  })
})
