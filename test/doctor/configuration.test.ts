// Runs `dayfly doctor` with a configuration, as a user does.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { jsonReport } from '@dayfly/doctor/report/shape'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { program } from '../cli.ts'

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

function doctor(args: readonly string[], cwd = '.', input?: string) {
  const env = { ...process.env, NO_COLOR: '1', KUBECONFIG: path.join(folder, 'none') }
  const options = { cwd: path.join(folder, cwd), encoding: 'utf8', env, ...(input !== undefined && { input }) } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'doctor', ...args], options)
  return { status, stdout, stderr }
}

/** Returns the findings as `severity CODE file`. */
function findings(args: readonly string[], cwd?: string, input?: string): string[] {
  const { stdout, stderr } = doctor(['--format', 'json', ...args], cwd, input)
  if (stdout === '') throw new Error(stderr)
  const all = jsonReport.parse(JSON.parse(stdout)).findings
  return all.map(({ severity, code, file }) => `${severity} ${code} ${file}`)
}

describe('the configuration', () => {
  it('is found above the path and above the working folder', () => {
    put(configuration, 'select: [POD101]\n')
    const found = ['error POD101 deploy/job.yaml']
    expect(findings([])).toEqual(found)
    expect(findings(['deploy/job.yaml'])).toEqual(found)
    expect(findings(['deploy/*.yaml'])).toEqual(found)
    expect(findings([], 'deploy')).toEqual(['error POD101 job.yaml'])
    expect(findings([path.join(folder, 'deploy')])).toEqual(found)
    expect(findings(['-'], '.', job)).toEqual(['error POD101 <stdin>'])
  })

  it('is not read above the root of the repository, and the nearest one wins', () => {
    put(configuration, 'select: [POD101]\n')
    put(`deploy/${configuration}`, 'select: [JOB201]\n')
    expect(findings(['deploy'])).toEqual(['warning JOB201 deploy/job.yaml'])
    rmSync(path.join(folder, 'deploy', configuration))
    mkdirSync(path.join(folder, 'deploy/.git'))
    expect(findings(['deploy']).length).toBeGreaterThan(2)
  })

  it('in a folder below is named as left out', () => {
    put(`deploy/${configuration}`, 'select: [JOB201]\n')
    expect(findings([]).length).toBeGreaterThan(2)
    expect(doctor([]).stdout).toContain('a configuration of a folder below: it applies only to runs in that folder')
  })

  it('cannot be two for one run', () => {
    put(`deploy/${configuration}`, '{}')
    put('other/a.yaml', job)
    const { status, stderr } = doctor(['other', 'deploy'])
    expect([status, stderr]).toEqual([
      2,
      'error two-configurations: The paths have different configurations: none and deploy/.dayfly-doctor.yaml.\n' +
        '  next: Run the doctor once for the paths of each.\n',
    ])
  })

  it('changes severity by path, and leaves out rules and files', () => {
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
    expect(findings([]).sort()).toEqual(expected)
    expect(findings(['vendored/job.yaml'])).toHaveLength(2)
    const { stdout } = doctor([])
    expect(stdout).toContain('left out: 1 part: excluded by "exclude" in .dayfly-doctor.yaml')
    expect(stdout).toMatch(/\d+ findings left out by the configuration or by --select and --ignore/)
  })

  it('is a mistake of the user if it is wrong: place, sentence, next step, exit code 2', () => {
    put(configuration, 'ignore:\n  - POD1O1\nfailOn: warn\nselct: [POD]\n')
    const { status, stdout, stderr } = doctor(['deploy'])
    expect([status, stdout]).toEqual([2, ''])
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

  it('is a mistake of the user if it cannot be read', () => {
    mkdirSync(path.join(folder, configuration))
    expect(doctor([])).toMatchObject({ status: 2, stderr: expect.stringContaining('error configuration-unreadable: ') })
  })
})

describe('declared clusters', () => {
  it('give each folder its own version, from any working folder', () => {
    put(configuration, "select: [POD101]\nclusters: [{ name: new, paths: [deploy], kubernetesVersion: '1.34' }]\n")
    for (const [cwd, named] of [
      ['.', 'deploy'],
      ['deploy', '.'],
      ['.git', '../deploy'],
    ] as const) {
      expect(doctor([named], cwd).stdout, cwd).toContain('fix (safe): Make docker a native sidecar')
    }
    put('other/job.yaml', job)
    expect(doctor(['other']).stdout).toContain('fix (unsafe; safe from Kubernetes 1.29)')
  })
})

describe('options', { timeout: 60_000 }, () => {
  it('replace the keys of the configuration', () => {
    put(configuration, 'select: [JOB201]\nignore: [POD]\nfailOn: error\n')
    expect(findings(['--select', 'pod101,JOB', '--ignore', 'JOB'])).toEqual(['error POD101 deploy/job.yaml'])
    expect(doctor([]).status).toBe(0)
    expect(doctor(['--fail-on', 'warning']).status).toBe(1)
  })

  it.each([
    [['--select', 'POD1O1'], 'Did you mean "POD101"?'],
    [['--ignore', 'nothing-like-it'], '"dayfly doctor explain" lists all rules.'],
    [['--fail-on', 'warnnig'], 'Did you mean "warning"?'],
    [['--live', '--exclude', 'a'], 'Leave it out'],
  ])('are refused with the nearest name: %j', (args, next) => {
    expect(doctor(args)).toMatchObject({ status: 2, stderr: expect.stringContaining(`next: ${next}`) })
  })

  it('--exclude may be repeated, and takes no path', () => {
    put('a/job.yaml', job)
    put('b/job.yaml', job)
    const args = ['--select', 'POD101', '--exclude', 'a', '--exclude', 'b/**', '.']
    expect(findings(args)).toEqual(['error POD101 deploy/job.yaml'])
    expect(doctor(args).stdout).toContain('left out: 2 parts: excluded by --exclude')
  })
})

describe('the exit code', () => {
  it('is 0 for remarks alone, unless they are asked for', () => {
    const remarks = ['--select', 'JOB208']
    expect(doctor(remarks)).toMatchObject({ status: 0, stdout: expect.stringContaining('1 remark') })
    expect(doctor([...remarks, '--fail-on', 'info']).status).toBe(1)
    expect(doctor(['--select', 'JOB201']).status).toBe(1)
    expect(doctor(['--select', 'JOB201', '--fail-on', 'error']).status).toBe(0)
  })

  it('still names a part that could not be analysed beside remarks', () => {
    put('b.yaml', 'apiVersion: v1\nkind: Pod\nmetadata: {name: [\n')
    expect(doctor(['--select', 'JOB208']).status).toBe(4)
  })
})

describe('a baseline', () => {
  it('has its place in the configuration, and survives a renamed folder', () => {
    put(configuration, 'baseline: known/findings.json\n')
    mkdirSync(path.join(folder, 'known'))
    expect(doctor(['baseline', 'write'], 'deploy')).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('findings written to ../known/findings.json'),
    })
    expect(doctor([])).toMatchObject({ status: 0, stderr: '' })
    renameSync(path.join(folder, 'deploy'), path.join(folder, 'a'))
    expect(doctor([])).toMatchObject({ status: 0, stderr: '' })
    put('b/job.yaml', readFileSync(path.join(folder, 'a/job.yaml'), 'utf8'))
    // The files of the baseline are gone, so it covers one of the two copies.
    const { known } = jsonReport.parse(JSON.parse(doctor(['--format', 'json']).stdout)).coverage
    expect(findings([])).toHaveLength(known)
  })
})
