// The runner as a program: real processes, real HTTP, and misbehaving steps.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { jsonAnswer } from '@dayfly/kit/http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunnerJob, RunnerStep } from '../job.ts'
import { isAlive, type RunnerProgram, runnerProgram } from './runner-program.fixture.ts'
import { type TinyForge, tinyForge } from './tiny-forge.fixture.ts'

describe('runner program', () => {
  let program: RunnerProgram
  let forge: TinyForge
  let count = 0
  beforeAll(async () => {
    ;[program, forge] = await Promise.all([runnerProgram(), tinyForge()])
  })
  afterAll(async () => {
    await forge.close()
    await program.remove()
  })

  const begin = (steps: readonly RunnerStep[], more: Partial<RunnerJob> = {}, env: Record<string, string> = {}) => {
    const id = `job-${++count}`
    const credential = forge.register(id, newJob(id, steps, more))
    return { id, credential, job: forge.job(id), runner: program.start(credential, env) }
  }
  test('runs a job, reports it in order, ends its session, and exits with 0 for any result', async () => {
    const { id, job, runner } = begin([step('echo out; echo err >&2; exit 3'), step('echo never', { id: 'two' })])
    const { code, output } = await runner.ended
    expect(code).toBe(0)
    expect(job.report).toMatchObject({
      conclusion: 'failure',
      steps: [
        { id: 'one', outcome: 'failure', note: 'Process completed with exit code 3.' },
        { id: 'two', conclusion: 'skipped' },
      ],
    })
    expect(job.lines).toEqual(expect.arrayContaining(['##[group]Run echo out; echo err >&2; exit 3', 'out', 'err']))
    expect(output).toMatch(new RegExp(`Listening for Jobs\n.*Running job: ${id}\n.*completed with result: Failed`, 's'))
    expect(job.steps.map(({ id, status, conclusion }) => `${id} ${status} ${conclusion}`)).toEqual([
      'one started undefined',
      'one finished failure',
      'two finished skipped',
    ])
    expect(forge.requests.filter((request) => request.includes(id)).at(-1)).toMatch(/completejob$/)
    expect(forge.requests.at(-1)).toBe('DELETE /runner/session')
  })

  test('gives steps the DAYFLY_ variables but not the credential, and runs them below the work folder', async () => {
    const check = step('echo "mark $DAYFLY_TOKEN"; env | grep -c JITCONFIG || true; pwd', {
      env: { DAYFLY_TOKEN: 'forged' },
    })
    const { job, runner, credential } = begin([check], {}, { DAYFLY_TOKEN: 'mark-1' })
    const { output } = await runner.ended
    expect(job.lines).toEqual(expect.arrayContaining(['mark mark-1', '0', path.join(runner.directory, '_work/r/r')]))
    expect(output).not.toContain(credential)
  })

  test('waits without a job; SIGTERM ends its session, and it exits with 143', async () => {
    const id = `idle-${++count}`
    const runner = program.start(forge.register(id))
    await forge.seen(id, '/runner/message')
    const before = forge.requests.filter((request) => request.startsWith('DELETE')).length
    runner.kill('SIGTERM')
    expect((await runner.ended).code).toBe(143)
    expect(forge.requests.filter((request) => request.startsWith('DELETE')).length).toBe(before + 1)
  })

  test('SIGTERM during a job: ends the step, runs no further step, reports the job as cancelled, and exits with 143', async () => {
    const steps = [step('echo begun; sleep 60'), step('echo never', { id: 'two', if: 'always()' })]
    const { id, job, runner } = begin(steps)
    await forge.printed(id, /^begun$/)
    runner.kill('SIGTERM')
    expect((await runner.ended).code).toBe(143)
    expect(job.report).toMatchObject({
      conclusion: 'cancelled',
      steps: [{ outcome: 'cancelled' }, { conclusion: 'skipped' }],
    })
  })

  test('SIGTERM and a step that ignores every signal: kills the step within a few seconds', async () => {
    const script = "trap '' INT TERM; (trap '' INT TERM; sleep 61) & echo \"pid $!\"; sleep 61; sleep 61"
    const { id, job, runner } = begin([step(script)])
    await forge.printed(id, /^pid \d+$/)
    const child = Number(/pid (\d+)/.exec(job.lines.join('\n'))?.[1])
    const started = performance.now()
    runner.kill('SIGTERM')
    expect((await runner.ended).code).toBe(143)
    expect(performance.now() - started).toBeLessThan(9_000)
    expect(job.report?.conclusion).toBe('cancelled')
    await expect.poll(() => isAlive(child), { timeout: 5_000 }).toBe(false)
  })

  test('a cancellation from the forge ends the step, runs steps with always(), and exits with 0', async () => {
    const steps = [step('echo begun; sleep 60'), step('echo cleanup', { id: 'two', if: 'always()' })]
    const { id, job, runner } = begin(steps)
    await forge.printed(id, /^begun$/)
    forge.cancel(id)
    expect((await runner.ended).code).toBe(0)
    expect(job.report).toMatchObject({
      conclusion: 'cancelled',
      steps: [{ outcome: 'cancelled' }, { conclusion: 'success' }],
    })
  })

  test('kills background processes of steps at the end of the job, and does not wait for them', async () => {
    const steps = [step('sleep 62 & echo "pid $!"'), step('echo next', { id: 'two' })]
    const started = performance.now()
    const { job, runner } = begin(steps)
    expect((await runner.ended).code).toBe(0)
    expect(performance.now() - started).toBeLessThan(10_000)
    const child = Number(/pid (\d+)/.exec(job.lines.join('\n'))?.[1])
    expect(job.lines).toContain(`Terminate orphan process: pid (${child}) (sleep)`)
    await expect.poll(() => isAlive(child), { timeout: 5_000 }).toBe(false)
    expect(job.report?.conclusion).toBe('success')
  })

  test('does not wait for a process that leaves its session and clears its environment', async () => {
    const { job, runner } = begin([step('setsid env -i sleep 5.25 >/dev/null 2>&1 & echo started')])
    expect((await runner.ended).code).toBe(0)
    expect(job.report?.conclusion).toBe('success')
  })

  test('neither crashes nor hangs on huge lines, NUL bytes, invalid UTF-8, carriage returns, or a missing newline', async () => {
    const script = `
head -c 3000000 /dev/zero | tr '\\0' x; echo
printf 'a\\0b\\n'; printf 'c\\xff\\xfe\\n'; printf 'one\\rtwo\\r\\nthree\\n'
printf 'no newline'`
    const { job, runner } = begin([step(script), step('head -c 300000 /dev/urandom', { id: 'two' })])
    expect((await runner.ended).code).toBe(0)
    expect(job.report?.conclusion).toBe('success')
    expect(job.lines).toEqual(expect.arrayContaining(['ab', 'c\uFFFD\uFFFD', 'one', 'two', 'three', 'no newline']))
    expect(job.lines.some((line) => /^x{65536}… \(2934464 more characters\)$/.test(line))).toBe(true)
  })

  test('bounds a flood of output in memory and at the forge, and delivers its end', async () => {
    const { job, runner } = begin([step('yes flood | head -n 300000; echo last'), step('echo after', { id: 'two' })])
    let peak = 0
    const measure = setInterval(() => {
      peak = Math.max(peak, residentBytes(runner.pid))
    }, 20)
    expect((await runner.ended).code).toBe(0)
    clearInterval(measure)
    expect(job.lines).toEqual(expect.arrayContaining(['last', 'after']))
    expect(job.lines.some((line) => /lines left out\)$/.test(line))).toBe(true)
    expect(job.lines.length).toBeLessThan(100_000)
    expect(peak).toBeGreaterThan(1)
    expect(peak).toBeLessThan(160 * 1024 * 1024)
  })

  test('masks secrets in all output', async () => {
    const contexts = {
      github: { repository: 'o/r', token: 'tok-123' },
      secrets: { A: 'hunter2', B: 'line-one\nline-two' },
    }
    const script = 'echo "${{ secrets.A }} tok-123"; echo "${{ secrets.B }}"; echo "::error::hunter2"'
    const { job, runner } = begin([step(script, { name: 'show ${{ secrets.A }}' })], { contexts })
    const { output } = await runner.ended
    expect(job.lines.filter((line) => line.includes('***')).length).toBeGreaterThanOrEqual(3)
    for (const secret of ['hunter2', 'tok-123', 'line-one', 'line-two']) {
      expect(output).not.toContain(secret)
      expect(JSON.stringify([job.lines, job.steps, job.report])).not.toContain(secret)
    }
    expect(job.report?.steps[0]?.name).toBe('show ***')
  })

  test('checks out the commit of the run, and no uncommitted file', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'dayfly-repository-'))
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        encoding: 'utf8',
      }).trim()
    git('init', '--quiet', '--initial-branch', 'trunk')
    for (const text of ['one', 'two']) {
      await writeFile(path.join(folder, 'file'), text)
      git('add', 'file')
      git('commit', '--quiet', '-m', text)
    }
    const sha = git('rev-parse', 'HEAD')
    await writeFile(path.join(folder, 'file'), 'not committed')
    await writeFile(path.join(folder, 'stray'), '')
    const show = step(
      'cat file; echo; ls; git log --format=%s; git branch --show-current; git status --short; git rev-parse HEAD',
    )
    const steps = [
      checkout(),
      show,
      checkout({ id: 'all', path: 'sub', fetchDepth: '0', ref: 'trunk' }),
      step('git -C sub log --format=%s', { id: 'log' }),
    ]
    const contexts = { github: { repository: 'o/r', sha, ref_name: 'trunk' } }
    const { job, runner } = begin(steps, { contexts, repository: folder }, { GIT_DIR: '/nonexistent' })
    const { output } = await runner.ended
    expect(job.report?.conclusion, output).toBe('failure')
    expect(job.report?.steps.map((item) => item.conclusion)).toEqual(['success', 'failure', 'skipped', 'skipped'])
    const other = begin(steps, { contexts, repository: folder })
    const second = await other.runner.ended
    expect(other.job.report?.conclusion, second.output).toBe('success')
    const [, ...lines] = other.job.lines.slice(other.job.lines.indexOf('two') - 1)
    expect(lines.slice(0, 5)).toEqual(['two', 'file', 'two', 'trunk', sha])
    expect(other.job.lines.slice(-2)).toEqual(['two', 'one'])
    expect(git('status', '--short')).toBe('M file\n?? stray')
    await rm(folder, { recursive: true })
  })

  test('reads the step files and hashes files as GitHub does', async () => {
    const make = step('mkdir -p a/b c; printf 1 > a/one.lock; printf 2 > a/b/two.lock; printf 3 > c/three.txt')
    const hash = step(
      "echo \"h1 ${{ hashFiles('**/*.lock') }}\"; echo \"h2 ${{ hashFiles('a', '!a/b/**') }}\"; echo \"h3 ${{ hashFiles('x') }}.\"",
      { id: 'two' },
    )
    const { job, runner } = begin([make, hash])
    await runner.ended
    const sum = (...texts: string[]) =>
      execFileSync(
        'sh',
        [
          '-c',
          `for t in ${texts.join(' ')}; do printf $t | sha256sum | cut -c1-64 | xxd -r -p; done | sha256sum | cut -c1-64`,
        ],
        { encoding: 'utf8' },
      ).trim()
    expect(job.lines).toEqual(expect.arrayContaining([`h1 ${sum('2', '1')}`, `h2 ${sum('1')}`, 'h3 .']))
  })

  describe('exits like the official image', () => {
    test('no credential, or an invalid one: 0', async () => {
      expect((await program.start(undefined).ended).code).toBe(0)
      const { code, output } = await program.start('nonsense').ended
      expect(code).toBe(0)
      expect(output).toMatch(/JIT configuration/)
      expect(output).not.toMatch(/nonsense/)
    })

    test('the registration is gone before it connects: 0', async () => {
      const credential = forge.register('gone')
      forge.answer('/runner/session', jsonAnswer(404, { errorKind: 'RunnerNotFound', errorMessage: 'gone' }))
      expect((await program.start(credential).ended).code).toBe(0)
    })

    test('the registration is removed while it listens: 0', async () => {
      forge.answer('/runner/message', jsonAnswer(404, { errorKind: 'RunnerNotFound', errorMessage: 'gone' }))
      const { code, output } = await program.start(forge.register(`removed-${++count}`)).ended
      expect(code).toBe(0)
      expect(output).toMatch(/gone/)
    })

    test('a refused version: 7 if the environment asks for it, else 0', async () => {
      const tooOld = jsonAnswer(403, { errorKind: 'RunnerVersionTooOld', errorMessage: 'too old' })
      const asked = { ACTIONS_RUNNER_RETURN_VERSION_DEPRECATED_EXIT_CODE: '1' }
      forge.answer('/runner/session', tooOld)
      expect((await program.start(forge.register('old-1'), asked).ended).code).toBe(7)
      forge.answer('/runner/session', tooOld)
      expect((await program.start(forge.register('old-2')).ended).code).toBe(0)
    })

    test('the job is withdrawn before it is acknowledged: 0, no step runs', async () => {
      forge.answer('/runner/acknowledge', jsonAnswer(404, { errorKind: 'AcknowledgeJobNotFound' }))
      const { job, runner } = begin([step('echo never')])
      expect((await runner.ended).code).toBe(0)
      expect(job.steps).toEqual([])
      expect(job.report).toBeUndefined()
    })

    test('another runner has the job: it listens again', async () => {
      const id = `job-${++count}`
      forge.answer(`/${id}/acquirejob`, jsonAnswer(409, {}))
      const runner = program.start(forge.register(id, newJob(id, [step('echo mine')])))
      const { output } = await runner.ended
      expect(output).toMatch(/Skipping message.*Running job/s)
      expect(forge.job(id).report?.conclusion).toBe('success')
    })

    test('a response of 500 or none: it tries again, and the report is not lost', async () => {
      const id = `job-${++count}`
      forge.answer(`/${id}/completejob`, jsonAnswer(500, {}))
      forge.answer(`/${id}/completejob`, { status: 200, headers: {}, body: { kind: 'cut', text: '{' } })
      const runner = program.start(forge.register(id, newJob(id, [step('echo mine')])))
      expect((await runner.ended).code).toBe(0)
      expect(forge.job(id).report?.conclusion).toBe('success')
    })

    test('SIGKILL: 137 for the container, and the step is left to the container runtime', async () => {
      const { id, job, runner } = begin([step('echo "pid $$"; sleep 63')])
      await forge.printed(id, /^pid/)
      const pid = Number(/pid (\d+)/.exec(job.lines.join('\n'))?.[1])
      expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).toContain('RUNNER_TRACKING_ID=github_')
      expect(existsSync(`/proc/${pid}/cwd`)).toBe(true)
      runner.kill('SIGKILL')
      process.kill(-pid, 'SIGKILL')
      expect((await runner.ended).code).toBe('SIGKILL')
    })
  })
})

function step(run: string, more: Partial<RunnerStep> = {}): RunnerStep {
  const common = {
    id: 'one',
    name: 'a step',
    if: 'success()',
    env: {},
    continueOnError: false,
    timeoutMinutes: undefined,
  }
  return { ...common, kind: 'run', run, shell: undefined, workingDirectory: undefined, ...more } as RunnerStep
}

function checkout(more: Partial<Extract<RunnerStep, { kind: 'checkout' }>> = {}): RunnerStep {
  const common = {
    id: 'checkout',
    name: 'checkout',
    if: 'success()',
    env: {},
    continueOnError: false,
    timeoutMinutes: undefined,
  }
  return { ...common, kind: 'checkout', path: undefined, ref: undefined, fetchDepth: undefined, ...more }
}

function newJob(id: string, steps: readonly RunnerStep[], more: Partial<RunnerJob> = {}): RunnerJob {
  return {
    jobId: id,
    runId: 1,
    key: 'job',
    name: id,
    contexts: { github: { repository: 'o/r' } },
    env: [],
    defaults: { shell: undefined, workingDirectory: undefined },
    timeoutMinutes: 5,
    outputs: {},
    steps,
    repository: undefined,
    ...more,
  }
}

function residentBytes(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}
