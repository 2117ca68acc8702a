// Runs `dayfly doctor` as a user does: files in a folder, exit codes, formats, fixes.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { jsonReport } from '@dayfly/doctor/report/shape'
import { catalogue } from '@dayfly/doctor/rules/catalogue'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { program } from '../cli.ts'
import { runHere } from '../program-here.ts'

const bad = `apiVersion: batch/v1
kind: Job
metadata:
  name: runner # the name
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 3600
      containers:
        - name: runner
          image: bitbucket-pipelines-runner:6
        - name: docker
          image: docker:27-dind
`
const good = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: b}\n'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'doctor-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function put(name: string, text: string): void {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
  writeFileSync(path.join(folder, name), text)
}

function doctor(args: readonly string[], cwd = '.') {
  const environment = { KUBECONFIG: path.join(folder, 'no-kubeconfig') }
  return runHere(['doctor', ...args], { cwd: path.join(folder, cwd), environment })
}

/** Runs the doctor in a process of its own. */
function started(args: readonly string[], input?: string) {
  const env = { ...process.env, NO_COLOR: '1', KUBECONFIG: path.join(folder, 'no-kubeconfig') }
  const options = { cwd: folder, encoding: 'utf8', env, ...(input !== undefined && { input }) } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'doctor', ...args], options)
  return { code: status, stdout, stderr }
}

function codesOf(stdout: string): string[] {
  return jsonReport.parse(JSON.parse(stdout)).findings.map(({ code }) => code)
}

describe('exit codes', () => {
  it('0: clean', () => {
    put('a.yaml', good)
    expect(started([])).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('no findings') })
  })

  it('1: findings', () => {
    put('k8s/job.yaml', bad)
    const { code, stdout } = started([])
    expect(code).toBe(1)
    expect(stdout).toContain('error POD101 dind-ordinary-container')
    expect(stdout).toContain('--> k8s/job.yaml:14:11')
  })

  it('1: a RunnerSet that Dayfly refuses, also in a baseline', async () => {
    const set = 'apiVersion: dayfly.dev/v1alpha1\nkind: RunnerSet\nmetadata: {name: a}\n'
    put('set.yaml', `${set}spec: {gitea: {url: 'https://gitea.example.com/acme'}, scale: {max: 2}}\n`)
    const { code, stdout } = await doctor([])
    expect(code).toBe(1)
    expect(stdout).toContain('spec.gitea.credentials: the field is missing.')
    await doctor(['baseline', 'write'])
    expect(await doctor(['--baseline', '.dayfly-doctor-baseline.json'])).toMatchObject({ code: 0 })
  })

  it('2: wrong usage, with a code, a sentence and a next step', async () => {
    for (const args of [
      ['nothing-here.yaml'],
      ['--format', 'xml'],
      ['--kubernetes-version', '2.0'],
      ['--kubernetes-version', '1.99'],
      ['--fix=all'],
      ['--baseline', 'none.json'],
      ['explain', 'POD999'],
      ['--live', 'a.yaml'],
      ['--live'],
      ['-n', 'ci'],
      ['--fix', '-'],
      ['--diff', '..'],
      ['explain', 'POD101', 'POD102'],
      ['explain', '--jsno'],
      ['baseline', 'wirte'],
      ['baseline', 'write', '--live'],
      ['--live', 'baseline', 'write'],
      ['--format', 'json', 'rbac'],
      ['--live', '--baseline', 'known.json'],
      ['rbac', '--in', 'ci,Builds'],
      ['rbac', '--in', ''],
    ]) {
      const { code, stderr, stdout } = await doctor(args)
      expect([code, stdout], args.join(' ')).toEqual([2, ''])
      expect(stderr).toMatch(/^error [a-z-]+: .+\.\n {2}next: .+\n$/)
    }
  })

  it.each([
    [['--format', 'sarfi'], 'Did you mean "sarif"?'],
    [['--formt', 'json'], 'Did you mean --format?'],
    [['--fix=unsaf'], 'Did you mean --fix=unsafe?'],
    [['explain', 'POD110X'], 'Did you mean POD110 pid-share-with-poststart?'],
    [['explain', 'dind-ordinary'], 'Did you mean POD101 dind-ordinary-container?'],
    [['basline', 'write'], 'Did you mean "dayfly doctor baseline"?'],
    [['baseline', 'wirte'], 'Did you mean write?'],
    [['explain', 'docker-ordinary'], 'Did you mean POD101 dind-ordinary-container?'],
    [['--kubernetes-version', '1.24'], 'Give 1.25, the oldest that the doctor knows.'],
    [['--kubernetes-version', '1.199'], 'Give 1.36, the newest that the doctor knows.'],
    [['--kubernetes-version', '33'], 'Give the minor version of the cluster, such as 1.33.'],
  ])('2: suggests the nearest option for %j', async (args, guess) => {
    expect((await doctor(args)).stderr).toContain(`next: ${guess}`)
  })

  it('2: lists the commands of a group if none is given', () => {
    expect(started(['baseline'])).toMatchObject({ code: 2, stderr: expect.stringContaining('write [options]') })
  })

  it.each([['help'], ['help', 'explain'], ['explain', '--help'], ['help', 'baseline'], ['help', 'rbac']])(
    '0: help with examples: %s %s',
    async (...args) =>
      expect(await doctor(args)).toMatchObject({ code: 0, stdout: expect.stringMatching(/\nExamples:\n {2}\S/) }),
  )

  it('3: nothing to analyse', async () => {
    put('a.yaml', 'just: values\n')
    const nothing = expect.stringContaining('nothing was analysed')
    expect(started([])).toMatchObject({ code: 3, stdout: nothing, stderr: '' })
    expect(await doctor(['--format', 'json'])).toMatchObject({ code: 3, stderr: nothing })
    expect(await doctor(['--diff'])).toMatchObject({ code: 3, stdout: '', stderr: nothing })
    mkdirSync(path.join(folder, 'empty'))
    expect(await doctor(['empty'])).toMatchObject({ code: 3 })
  })

  it('4: names a part that could not be analysed', () => {
    put('a.yaml', good)
    put('b.yaml', 'apiVersion: v1\nkind: Pod\nmetadata: {name: [\n')
    const { code, stdout } = started([])
    expect(code).toBe(4)
    expect(stdout).toContain('not examined: b.yaml')
  })

  it('5: a fix is refused, and the file stays unchanged', () => {
    const anchored = bad.replace('- name: docker\n', '- &docker\n          name: docker\n')
    put('a.yaml', `${anchored}---\n${good}`)
    const { code, stderr } = started(['--fix=unsafe', '--min-severity', 'error'])
    expect(stderr).toContain('refused: a.yaml')
    expect(code).toBe(5)
    expect(readFileSync(path.join(folder, 'a.yaml'), 'utf8')).toContain(anchored)
  })
})

describe('thresholds', () => {
  it('count the findings that they hide', async () => {
    put('a.yaml', bad)
    const { stdout } = await doctor(['--min-severity', 'error', '--format', 'json'])
    const { findings, coverage } = jsonReport.parse(JSON.parse(stdout))
    expect(new Set(findings.map(({ severity }) => severity))).toEqual(new Set(['error']))
    expect(coverage.below).toBeGreaterThan(0)
  })
})

describe('sources', () => {
  it('reads stdin', () => {
    const { code, stdout } = started(['-', '--format', 'json'], bad)
    expect(code).toBe(1)
    expect(codesOf(stdout)).toContain('POD101')
  })

  it('reads a named pipe like a file', () => {
    put('a.yaml', bad)
    const command = `'${process.execPath}' '${program}' doctor --format json <(cat a.yaml)`
    const { stdout } = spawnSync('bash', ['-c', command], { cwd: folder, encoding: 'utf8' })
    expect(codesOf(stdout)).toContain('POD101')
  })

  it('reads a template inside a ConfigMap', async () => {
    const inner = bad.replace('name: runner # the name', 'name: {{ name }}').replace(/^/gm, '    ')
    put('map.yaml', `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata:\n  job.yaml: |\n${inner}\n`)
    expect(codesOf((await doctor(['--format', 'json'])).stdout)).toContain('POD101')
  })
})

describe('names', () => {
  it('start from the root of the repository for GitHub, and from the working folder for people', async () => {
    mkdirSync(path.join(folder, '.git'))
    put('a b.yaml', bad)
    put('sub/c.yaml', good)
    const inside = async (...args: readonly string[]) => (await doctor(args, 'sub')).stdout
    expect(await inside('../a b.yaml', '--format', 'github')).toMatch(/^::error file=a b.yaml,line=14,/m)
    const [run] = JSON.parse(await inside('..', '--format', 'sarif')).runs
    expect(run.results[0].locations[0].physicalLocation.artifactLocation.uri).toBe('a%20b.yaml')
    expect(await inside('../a b.yaml')).toContain('--> ../a b.yaml:14:11')
    expect(await inside(path.join(folder, 'a b.yaml'))).toContain(`--> ${path.join(folder, 'a b.yaml')}:14:11`)
  })
})

describe('formats', () => {
  it('sarif exits with 0 on findings, and writes only SARIF to stdout', async () => {
    mkdirSync(path.join(folder, '.git'))
    put('a.yaml', bad)
    const { code, stdout, stderr } = await doctor(['--format', 'sarif'])
    expect([code, stderr]).toEqual([0, ''])
    const [run] = JSON.parse(stdout).runs
    expect(run.tool.driver.rules).toHaveLength(catalogue.length)
    expect(run.tool.driver.rules[0].help.markdown).toContain('## Problem')
  })

  it.each([
    ['github', /^::error file=a.yaml,line=14,/m],
    ['junit', /^<\?xml/],
  ])('%s', async (format, pattern) => {
    put('a.yaml', bad)
    const { code, stdout } = await doctor(['--format', format])
    expect(code).toBe(1)
    expect(stdout).toMatch(pattern)
  })
})

describe('fixes', () => {
  it('--fix makes the safe fixes, once', async () => {
    put('a.yaml', bad)
    await doctor(['--fix', '--kubernetes-version', '1.33'])
    const fixed = readFileSync(path.join(folder, 'a.yaml'), 'utf8')
    expect(fixed).toContain('restartPolicy: Always')
    expect(fixed).toContain('name: runner # the name')
    expect(codesOf((await doctor(['--format', 'json', '--kubernetes-version', '1.33'])).stdout)).not.toContain('POD101')
    expect((await doctor(['--fix', '--kubernetes-version', '1.33'])).stderr).toContain('0 fixes made')
    expect(readFileSync(path.join(folder, 'a.yaml'), 'utf8')).toBe(fixed)
  })

  it('--diff prints the patch that --fix would make, and git applies it', async () => {
    put('a.yaml', bad)
    const { code, stdout } = await doctor(['--diff', '--fix=unsafe'])
    expect(code).toBe(0)
    expect(readFileSync(path.join(folder, 'a.yaml'), 'utf8')).toBe(bad)
    execFileSync('git', ['apply', '-'], { cwd: folder, input: stdout })
    const patched = readFileSync(path.join(folder, 'a.yaml'), 'utf8')
    put('a.yaml', bad)
    await doctor(['--fix=unsafe'])
    expect(readFileSync(path.join(folder, 'a.yaml'), 'utf8')).toBe(patched)
  })

  it.each(['git apply -', 'patch -s -p1'])(
    '--diff of many odd files from a folder of the repository is for %s',
    async (tool) => {
      const files: Readonly<Record<string, string>> = {
        'sub/plain.yaml': bad,
        'sub/deep er/a b.yaml': bad,
        'sub/ünï😀.yaml': bad,
        'sub/crlf.yaml': bad.replace(/\n/g, '\r\n'),
        'sub/mark.yaml': `\ufeff${bad}`,
        'sub/no-end.yaml': bad.trimEnd(),
        'sub/two.yaml': `${bad}---\n${bad}`,
      }
      const reset = () => {
        for (const [name, text] of Object.entries(files)) put(name, text)
      }
      const read = () => Object.keys(files).map((name) => readFileSync(path.join(folder, name), 'utf8'))
      const inside = { cwd: path.join(folder, 'sub'), encoding: 'utf8' } as const
      const run = (...args: string[]) => doctor(args, 'sub')
      reset()
      execFileSync('git', ['init', '-q'], { cwd: folder })
      await run('--fix=unsafe')
      const expected = read()
      for (const [index, text] of Object.values(files).entries()) expect(expected[index]).not.toBe(text)
      reset()
      execFileSync('bash', ['-c', tool], { ...inside, input: (await run('--diff', '--fix=unsafe', '.')).stdout })
      expect(read()).toEqual(expected)
    },
  )

  it('--fix does not consume a path that follows it', async () => {
    put('a/a.yaml', bad)
    put('b.yaml', bad)
    // Safe if the version is known to support sidecars. Until the Job can end, no TTL is safe either.
    const declared = ['--kubernetes-version', '1.33']
    expect((await doctor(['--fix', 'a'])).stderr).toMatch(/^0 fixes made; \d+ more with --fix=unsafe/)
    expect((await doctor([...declared, '--fix', 'a'])).stderr).toMatch(/^[1-9] fix(es)? made in 1 file/)
    expect(readFileSync(path.join(folder, 'a/a.yaml'), 'utf8')).not.toBe(bad)
    expect(readFileSync(path.join(folder, 'b.yaml'), 'utf8')).toBe(bad)
    expect((await doctor(['--fix', 'unsafe', 'b.yaml'])).stderr).toMatch(/^\d fixes made in 1 file\n$/)
  })

  it('--check writes nothing and exits with 1 if there is a fix to make', async () => {
    put('a.yaml', bad)
    const declared = ['--kubernetes-version', '1.33']
    expect(await doctor([...declared, '--check'])).toMatchObject({ code: 1 })
    expect(readFileSync(path.join(folder, 'a.yaml'), 'utf8')).toBe(bad)
    await doctor([...declared, '--fix'])
    expect(await doctor([...declared, '--check'])).toMatchObject({ code: 0 })
  })
})

describe('baseline', () => {
  it('records the current findings as known', async () => {
    put('a.yaml', bad)
    expect(await doctor(['baseline', 'write', '--file', 'known.json'])).toMatchObject({ code: 0 })
    expect(await doctor(['--baseline', 'known.json', 'a.yaml'])).toMatchObject({ code: 0 })
    put('a.yaml', `# a line more\n${bad}`)
    expect(await doctor(['--baseline', 'known.json', 'a.yaml'])).toMatchObject({ code: 0 })
    put('b.yaml', bad)
    expect(await doctor(['--baseline', 'known.json', '.'])).toMatchObject({ code: 1 })
    rmSync(path.join(folder, 'b.yaml'))
    put('a.yaml', good)
    expect(await doctor(['--baseline', 'known.json', 'a.yaml'])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^the baseline holds \d+ findings that no longer exist: write it again\n$/),
    })
    put('known.json', '{')
    expect(await doctor(['--baseline', 'known.json'])).toMatchObject({ code: 2 })
  })

  it('is valid in every folder of the repository, and for a part of it', async () => {
    mkdirSync(path.join(folder, '.git'))
    put('sub/a.yaml', bad)
    put('sub/b.yaml', bad)
    await doctor(['baseline', 'write', '--file', 'known.json'])
    const run = (...args: string[]) => doctor(args, 'sub')
    expect(await run('--baseline', '../known.json')).toMatchObject({ code: 0, stderr: '' })
    expect(await run('--baseline', '../known.json', 'b.yaml')).toMatchObject({ code: 0, stderr: '' })
    rmSync(path.join(folder, 'sub/a.yaml'))
    expect((await run('--baseline', '../known.json', 'b.yaml')).stderr).toMatch(/^the baseline holds \d+ findings/)
    const [result] = JSON.parse((await doctor(['--format', 'sarif'])).stdout).runs[0].results
    expect(JSON.parse((await run('--format', 'sarif')).stdout).runs[0].results[0].partialFingerprints).toEqual(
      result.partialFingerprints,
    )
  })
})

describe('explain', () => {
  it('covers every rule, by code and by slug', async () => {
    expect((await doctor(['explain'])).stdout.trim().split('\n')).toHaveLength(catalogue.length)
    const pages: unknown = JSON.parse(readFileSync(path.join(path.dirname(program), 'doctor-rules.json'), 'utf8'))
    expect(Object.keys(pages as object).sort()).toEqual(catalogue.map(({ slug }) => slug).sort())
    const byCode = await doctor(['explain', 'pod101'])
    expect(byCode).toMatchObject({ code: 0, stdout: expect.stringContaining('## When it does not apply') })
    expect((await doctor(['explain', 'dind-ordinary-container'])).stdout).toBe(byCode.stdout)
  })

  it('--json prints JSON', async () => {
    const all: unknown = JSON.parse((await doctor(['explain', '--json'])).stdout)
    expect(all).toHaveLength(catalogue.length)
    expect(JSON.parse((await doctor(['explain', 'JOB201', '--json'])).stdout)).toMatchObject({
      rule: 'ttl-missing',
      code: 'JOB201',
      page: expect.stringContaining('## When it does not apply'),
    })
  })
})

describe('rbac', () => {
  it('prints roles that only read, unless fixes are named', async () => {
    const { code, stdout } = await doctor(['rbac'])
    expect(code).toBe(0)
    expect(stdout).toContain('kind: ClusterRole')
    expect(stdout).not.toMatch(/delete|patch|secrets/)
    for (const plural of [
      'cronjobs',
      'daemonsets',
      'statefulsets',
      'poddisruptionbudgets',
      'mutatingwebhookconfigurations',
    ]) {
      expect(stdout).toContain(`- ${plural}\n`)
    }
    expect((await doctor(['rbac', '--fixes', 'LIV301'])).stdout).toContain('delete')
  })
})

it.each(['--helm', '--kustomize'])('%s: says at once that there is no program to render with', (option) => {
  const args = [program, 'doctor', option, folder]
  // The bound for a program's run is two minutes.
  const bounds = { cwd: folder, encoding: 'utf8', env: { PATH: '/nowhere' }, timeout: 15_000 } as const
  const { status, stderr } = spawnSync(process.execPath, args, bounds)
  expect([status, stderr]).toEqual([2, expect.stringMatching(/^error renderer-missing: /)])
})
