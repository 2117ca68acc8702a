// `scripts/real-gitea.ts` as a person runs it: it says what to do, and leaves nothing behind.
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')
let folder: string

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'dayfly-real-gitea-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Starts the script with its temporary files in a folder of its own. */
function run(...options: readonly string[]) {
  const tsx = path.join(root, 'node_modules/tsx/dist/loader.mjs')
  const args = ['--import', `file://${tsx}`, 'scripts/real-gitea.ts', ...options]
  const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, TMPDIR: folder } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const ended = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'none'))
  })
  return { child, ended, output: () => output }
}

const served = async (output: () => string) => {
  await expect.poll(output, { timeout: 60_000 }).toMatch(/registration-token\n$/)
  return /serves (\S+) until Ctrl-C/.exec(output())?.[1] ?? ''
}
const answers = (url: string) =>
  fetch(`${url}/api/v1/version`).then(
    ({ status }) => status,
    () => 'no server',
  )

test('serves a repository whose job waits, runs the printed commands, and removes everything at Ctrl-C', async () => {
  const log = path.join(folder, 'kept.log')
  const { child, ended, output } = run('--log', log, '--ini', 'api.MAX_RESPONSE_ITEMS=7')
  const url = await served(output)
  const [, show = ''] = /^Show the jobs:\n {2}(.+)$/m.exec(output()) ?? []
  const shown = await new Promise<string>((resolve) => {
    const shell = spawn('/bin/sh', ['-c', show])
    let text = ''
    shell.stdout.on('data', (chunk) => (text += chunk))
    shell.once('close', () => resolve(text))
  })
  expect(JSON.parse(shown)).toMatchObject({ total_count: 1, jobs: [{ status: 'queued', labels: ['dayfly'] }] })
  expect(await (await fetch(`${url}/api/v1/settings/api`)).json()).toMatchObject({ max_response_items: 7 })
  child.kill('SIGINT')
  expect(await ended).toBe(0)
  expect(await answers(url)).toBe('no server')
  expect(readdirSync(folder).filter((name) => name.startsWith('dayfly-gitea-'))).toEqual([])
  expect(readFileSync(log, 'utf8')).toContain('Starting new Web server')
})

test('the server ends with a script that is killed', async () => {
  const { child, ended, output } = run()
  const url = await served(output)
  expect(await answers(url)).toBe(200)
  child.kill('SIGKILL')
  expect(await ended).toBe('SIGKILL')
  await expect.poll(() => answers(url), { timeout: 10_000 }).toBe('no server')
})

test('explains itself, and refuses a setting of another form', async () => {
  const help = run('--help')
  expect([await help.ended, help.output()]).toEqual([
    0,
    expect.stringContaining('usage: npx tsx scripts/real-gitea.ts'),
  ])
  const wrong = run('--ini', 'nonsense')
  expect([await wrong.ended, wrong.output()]).toEqual([
    1,
    'real Gitea: --ini nonsense is not of the form section.KEY=value\n',
  ])
  expect(readdirSync(folder).filter((name) => name.startsWith('dayfly-gitea-'))).toEqual([])
})
