// `dayfly doctor --fix` on files that cannot be written, are links, or come from a killed program.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { jsonReport } from '@dayfly/doctor/report/shape'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { program } from '../cli.ts'

const bad = `apiVersion: batch/v1
kind: Job
metadata: {name: runner}
spec:
  backoffLimit: 6
  template:
    spec:
      restartPolicy: OnFailure
      containers:
        - name: runner
          image: bitbucket-pipelines-runner:6
`

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'doctor-write-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const put = (name: string, text = bad) => {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
  writeFileSync(path.join(folder, name), text)
}
const read = (name: string) => readFileSync(path.join(folder, name), 'utf8')

function doctor(...args: string[]) {
  return spawnSync(process.execPath, [program, 'doctor', ...args], { cwd: folder, encoding: 'utf8' })
}

/** Root ignores file modes. Undefined if no other user can run the program. */
function ordinaryUser(): { readonly uid?: number; readonly gid?: number } | undefined {
  if (process.getuid?.() !== 0) return {}
  const nobody = { uid: 65534, gid: 65534 }
  const { status } = spawnSync(process.execPath, [program, '--version'], { cwd: tmpdir(), ...nobody })
  return status === 0 ? nobody : undefined
}

const user = ordinaryUser()

it.skipIf(!user)('fixes the other files if a file or a folder is read-only, and names the next step', () => {
  for (const name of ['a.yaml', 'b.yaml', 'c/c.yaml', 'd.yaml']) put(name)
  chmodSync(path.join(folder, 'b.yaml'), 0o444)
  chmodSync(path.join(folder, 'c'), 0o555)
  if (user?.uid !== undefined) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, folder])
  const options = { cwd: folder, encoding: 'utf8', ...user } as const
  const { status, stderr } = spawnSync(process.execPath, [program, 'doctor', '--fix=unsafe'], options)
  chmodSync(path.join(folder, 'c'), 0o755)
  expect(['a.yaml', 'b.yaml', 'c/c.yaml', 'd.yaml'].map((name) => read(name) === bad)).toEqual([
    false,
    true,
    true,
    false,
  ])
  expect(status).toBe(1)
  expect(stderr).toBe(`2 files were changed
error file-readonly: b.yaml was not changed: it is read-only.
  next: Allow writing to it (chmod u+w) and run it again, or take the patch that --diff prints.
error file-readonly: c/c.yaml was not changed: its folder is read-only.
  next: Allow writing to the folder (chmod u+w) and run it again, or take the patch that --diff prints.
`)
})

it('follows a named link once, and no link in a folder', () => {
  put('real/a.yaml')
  put('real/b.yaml')
  put('else/c.yaml')
  symlinkSync('real/a.yaml', path.join(folder, 'link.yaml'))
  symlinkSync('../else/c.yaml', path.join(folder, 'real/c.yaml'))
  const { stdout } = doctor('--diff', '--fix=unsafe', 'link.yaml')
  expect(doctor('--fix=unsafe', 'link.yaml', 'real')).toMatchObject({ stderr: expect.not.stringContaining('error') })
  expect(lstatSync(path.join(folder, 'link.yaml')).isSymbolicLink()).toBe(true)
  expect(read('real/b.yaml')).toBe(read('real/a.yaml'))
  expect(read('else/c.yaml')).toBe(bad)
  const fixed = read('real/a.yaml')
  put('real/a.yaml')
  expect(spawnSync('git', ['apply', '-'], { cwd: folder, input: stdout }).status).toBe(0)
  expect(read('real/a.yaml')).toBe(fixed)
})

it('leaves each file old or new when killed at any time, and nothing that it reads later', {
  timeout: 60_000,
}, async () => {
  const names = Array.from({ length: 150 }, (_, index) => `${index}.yaml`)
  for (const name of names) put(name)
  const changed = () => names.map(read).find((text) => text !== bad)
  const run = spawn(process.execPath, [program, 'doctor', '--fix=unsafe'], { cwd: folder, stdio: 'ignore' })
  const ended = once(run, 'exit')
  await expect.poll(changed, { timeout: 40_000, interval: 2 }).toBeDefined()
  run.kill('SIGKILL')
  await ended
  const fixed = changed()
  for (const name of names) expect([bad, fixed]).toContain(read(name))
  const { coverage } = jsonReport.parse(JSON.parse(doctor('--format', 'json').stdout))
  expect(coverage.files).toEqual({ seen: names.length, decoded: names.length })
  doctor('--fix=unsafe')
  for (const name of names) expect(read(name)).toBe(fixed)
})
