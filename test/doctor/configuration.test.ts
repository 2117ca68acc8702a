// Runs `dayfly doctor` with a configuration, as a user does.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { jsonReport } from '@dayfly/doctor/report/shape'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { program } from '../cli.ts'
import { runHere } from '../program-here.ts'

const job = `apiVersion: batch/v1
kind: Job
metadata: { name: runner }
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: runner
          image: bitbucket-pipelines-runner:6
        - name: docker
          image: docker:27-dind
`
const configuration = '.dayfly-doctor.yaml'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'doctor-'))
  mkdirSync(path.join(folder, '.git'))
  put('deploy/job.yaml', job)
})
afterEach(() => rmSync(folder, { recursive: true }))

function put(name: string, text: string): void {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
  writeFileSync(path.join(folder, name), text)
}

function doctor(args: readonly string[], cwd = '.') {
  const environment = { KUBECONFIG: path.join(folder, 'none') }
  return runHere(['doctor', ...args], { cwd: path.join(folder, cwd), environment })
}

/** Returns the findings as `severity CODE file`. */
async function findings(args: readonly string[], cwd?: string): Promise<string[]> {
  const { stdout, stderr } = await doctor(['--format', 'json', ...args], cwd)
  if (stdout === '') throw new Error(stderr)
  const all = jsonReport.parse(JSON.parse(stdout)).findings
  return all.map(({ severity, code, file }) => `${severity} ${code} ${file}`)
}

describe('the configuration', () => {
  it('is found above the path and above the working folder', async () => {
    put(configuration, 'select: [POD101]\n')
    const found = ['error POD101 deploy/job.yaml']
    expect(await findings([])).toEqual(found)
    expect(await findings(['deploy/job.yaml'])).toEqual(found)
    expect(await findings(['deploy/*.yaml'])).toEqual(found)
    expect(await findings([], 'deploy')).toEqual(['error POD101 job.yaml'])
    expect(await findings([path.join(folder, 'deploy')])).toEqual(found)
    const piped = spawnSync(process.execPath, [program, 'doctor', '-'], { cwd: folder, input: job, encoding: 'utf8' })
    expect(piped.stdout).toMatch(/^error POD101 [\s\S]*--> <stdin>:/)
    expect(piped.stdout).not.toContain('JOB201')
  })

  it('is not read above the root of the repository, and the nearest one wins', async () => {
    put(configuration, 'select: [POD101]\n')
    put(`deploy/${configuration}`, 'select: [JOB201]\n')
    expect(await findings(['deploy'])).toEqual(['warning JOB201 deploy/job.yaml'])
    rmSync(path.join(folder, 'deploy', configuration))
    mkdirSync(path.join(folder, 'deploy/.git'))
    expect((await findings(['deploy'])).length).toBeGreaterThan(2)
  })

  it('in a folder below is named as left out', async () => {
    put(`deploy/${configuration}`, 'select: [JOB201]\n')
    expect((await findings([])).length).toBeGreaterThan(2)
    expect((await doctor([])).stdout).toContain(
      'a configuration of a folder below: it applies only to runs in that folder',
    )
  })

  it('cannot be two for one run', async () => {
    put(`deploy/${configuration}`, '{}')
    put('other/a.yaml', job)
    const { code, stderr } = await doctor(['other', 'deploy'])
    expect([code, stderr]).toEqual([
      2,
      'error two-configurations: The paths have different configurations: none and deploy/.dayfly-doctor.yaml.\n' +
        '  next: Run the doctor once for the paths of each.\n',
    ])
  })

  it('changes severity by path, and leaves out rules and files', async () => {
    put('examples/job.yaml', job)
    put('vendored/job.yaml', job)
    const text = `select: [POD101, JOB201]
exclude: [vendored]
overrides:
  - paths: ['examples/**']
    ignore: [JOB201]
    severity: { POD101: info }
`
    put(configuration, text)
    const expected = ['error POD101 deploy/job.yaml', 'info POD101 examples/job.yaml', 'warning JOB201 deploy/job.yaml']
    expect((await findings([])).sort()).toEqual(expected)
    expect(await findings(['vendored/job.yaml'])).toHaveLength(2)
    const { stdout } = await doctor([])
    expect(stdout).toContain('left out: 1 part: excluded by "exclude" in .dayfly-doctor.yaml')
    expect(stdout).toMatch(/\d+ findings left out by the configuration or by --select and --ignore/)
  })

  it('is a mistake of the user if it is wrong: place, sentence, next step, exit code 2', async () => {
    put(configuration, 'ignore:\n  - POD1O1\nfailOn: warn\nselct: [POD]\n')
    const { code, stdout, stderr } = await doctor(['deploy'])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toBe(`.dayfly-doctor.yaml:2:5
error configuration: In the configuration, the value "POD1O1" in ignore[0] is not known.
  next: Did you mean "POD101"?
.dayfly-doctor.yaml:3:1
error configuration: In the configuration, the value "warn" in failOn is not known.
  next: Did you mean "warning"?
.dayfly-doctor.yaml:4:1
error configuration: In the configuration, the key "selct" is not known.
  next: Did you mean "select"?
`)
  })

  it('is a mistake of the user if it cannot be read', async () => {
    mkdirSync(path.join(folder, configuration))
    expect(await doctor([])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('error configuration-unreadable: '),
    })
  })
})

describe('declared clusters', () => {
  it('give each folder its own version, from any working folder', async () => {
    put(configuration, "select: [POD101]\nclusters: [{ name: new, paths: [deploy], kubernetesVersion: '1.34' }]\n")
    for (const [cwd, named] of [
      ['.', 'deploy'],
      ['deploy', '.'],
      ['.git', '../deploy'],
    ] as const) {
      expect((await doctor([named], cwd)).stdout, cwd).toContain('fix (safe): Make docker a native sidecar')
    }
    put('other/job.yaml', job)
    expect((await doctor(['other'])).stdout).toContain('fix (unsafe; safe from Kubernetes 1.29)')
  })
})

describe('options', { timeout: 60_000 }, () => {
  it('replace the keys of the configuration', async () => {
    put(configuration, 'select: [JOB201]\nignore: [POD]\nfailOn: error\n')
    expect(await findings(['--select', 'pod101,JOB', '--ignore', 'JOB'])).toEqual(['error POD101 deploy/job.yaml'])
    expect((await doctor([])).code).toBe(0)
    expect((await doctor(['--fail-on', 'warning'])).code).toBe(1)
  })

  it.each([
    [['--select', 'POD1O1'], 'Did you mean "POD101"?'],
    [['--ignore', 'nothing-like-it'], '"dayfly doctor explain" lists all rules.'],
    [['--fail-on', 'warnnig'], 'Did you mean "warning"?'],
    [['--live', '--exclude', 'a'], 'Leave it out'],
  ])('are refused with the nearest name: %j', async (args, next) => {
    expect(await doctor(args)).toMatchObject({ code: 2, stderr: expect.stringContaining(`next: ${next}`) })
  })

  it('--exclude may be repeated, and takes no path', async () => {
    put('a/job.yaml', job)
    put('b/job.yaml', job)
    const args = ['--select', 'POD101', '--exclude', 'a', '--exclude', 'b/**', '.']
    expect(await findings(args)).toEqual(['error POD101 deploy/job.yaml'])
    expect((await doctor(args)).stdout).toContain('left out: 2 parts: excluded by --exclude')
  })
})

describe('the exit code', () => {
  it('is 0 for remarks alone, unless they are asked for', async () => {
    const remarks = ['--select', 'JOB208']
    expect(await doctor(remarks)).toMatchObject({ code: 0, stdout: expect.stringContaining('1 remark') })
    expect((await doctor([...remarks, '--fail-on', 'info'])).code).toBe(1)
    expect((await doctor(['--select', 'JOB201'])).code).toBe(1)
    expect((await doctor(['--select', 'JOB201', '--fail-on', 'error'])).code).toBe(0)
  })

  it('still names a part that could not be analysed beside remarks', async () => {
    put('b.yaml', 'apiVersion: v1\nkind: Pod\nmetadata: {name: [\n')
    expect((await doctor(['--select', 'JOB208'])).code).toBe(4)
  })
})

describe('a baseline', () => {
  it('has its place in the configuration, and survives a renamed folder', async () => {
    put(configuration, 'baseline: known/findings.json\n')
    mkdirSync(path.join(folder, 'known'))
    expect(await doctor(['baseline', 'write'], 'deploy')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('findings written to ../known/findings.json'),
    })
    expect(await doctor([])).toMatchObject({ code: 0, stderr: '' })
    renameSync(path.join(folder, 'deploy'), path.join(folder, 'a'))
    expect(await doctor([])).toMatchObject({ code: 0, stderr: '' })
    put('b/job.yaml', readFileSync(path.join(folder, 'a/job.yaml'), 'utf8'))
    // The files of the baseline are gone, so it covers one of the two copies.
    const { known } = jsonReport.parse(JSON.parse((await doctor(['--format', 'json'])).stdout)).coverage
    expect(await findings([])).toHaveLength(known)
  })
})
