import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createWorld, program, type World } from '../cli.ts'
import { runHere } from '../program-here.ts'

let world: World
beforeEach(() => {
  world = createWorld()
})
afterEach(() => world.end())

describe('the command line', () => {
  test('--version prints the version, in at most three times the time of an empty Node program', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
    expect(spawnSync(process.execPath, [program, '--version'], { encoding: 'utf8' }).stdout).toBe(`${version}\n`)
    const time = (...args: readonly string[]) => {
      const started = performance.now()
      spawnSync(process.execPath, args)
      return performance.now() - started
    }
    const rounds = Array.from({ length: 9 }, () => [time('-e', '0'), time(program, '--version')] as const)
    const best = (index: 0 | 1) => Math.min(...rounds.map((round) => round[index]))
    expect(best(1) / best(0)).toBeLessThan(3)
  }, 60_000)

  test('a full disk is reported like any other error, and a closed pipe is no error', (context) => {
    if (!existsSync('/dev/full')) context.skip('this system has no device that is always full')
    const run = (redirection: string) =>
      spawnSync('bash', ['-c', `'${process.execPath}' '${program}' doctor explain ${redirection}`], {
        encoding: 'utf8',
      })
    expect(run('> /dev/full')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^error output-unwritable: .+: no space left on device\.\n {2}next: .+\n$/),
    })
    expect(run('| true')).toMatchObject({ status: 0, stderr: '' })
  })

  test('help lists every command with an example', async () => {
    for (const args of [[], ['help'], ['--help']]) {
      const { code, stdout } = await runHere(args)
      expect(code).toBe(0)
      for (const command of ['demo', 'cluster', 'emulate', 'doctor']) expect(stdout).toContain(`\n  ${command} `)
      expect(stdout).toContain('Examples:')
    }
  })

  test.each([
    [['dmeo'], /error unknown-command: There is no command "dmeo"\.\n {2}next: Did you mean "dayfly demo"\?/],
    [['demo', '--jbos', '3'], /error usage: Unknown option '--jbos'\.\n {2}next: Did you mean --jobs\?/],
    [['demo', '--jobs', 'many'], /error usage: --jobs must be a whole number from 1/],
    [['demo', '--jobs'], /error usage: .*argument missing/],
    [['constructor'], /error unknown-command/],
  ])('%j is refused with a next step', async (args, message) => {
    const { code, stderr } = await runHere(args)
    expect(code).toBe(2)
    expect(stderr).toMatch(message)
    expect(stderr).not.toMatch(/\n\s+at /)
  })
})

test('an error replaces control characters of its input', async () => {
  const cli = world.start('demo', 'gone\x1b]0;title\x07\u202e.yml')
  expect(await cli.ended).toMatchObject({ code: 2 })
  expect(cli.stderr()).toContain('gone\ufffd]0;title\ufffd\ufffd.yml')
  expect(cli.stderr()).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/)
})

describe('bad input to the demo', () => {
  const job = (more: string) => `on: push\njobs:\n  a:\n    runs-on: x\n${more}    steps:\n      - run: 'true'\n`
  const bomb = `a: &a [x, x]\nb: &b [${'*a, '.repeat(90)}]\nc: [${'*b, '.repeat(90)}]\n${job('')}`
  test.each([
    ['a syntax error', 'on: push\njobs: [\n'],
    ['an unknown need', job('    needs: gone\n')],
    ['a circle of needs', `${job('    needs: b\n')}  b:\n    runs-on: x\n    needs: a\n    steps: [{ run: 'true' }]\n`],
    ['an unsupported function', job('    if: tomorrow()\n')],
    ['five megabytes', 'a: b\n'.repeat(1_048_576)],
    ['an alias bomb', bomb],
    ['a binary file', readFileSync(process.execPath).subarray(0, 4_096)],
    ['a missing path', undefined],
  ])('%s: exits with 2 and starts nothing', async (name, content) => {
    mkdirSync(path.join(world.directory, 'own'))
    const file = path.join(world.directory, 'own', `${name.replaceAll(' ', '-')}.yml`)
    if (content !== undefined) writeFileSync(file, content)
    const { code, stdout, stderr } = await runHere(['demo', file, '--exit', '--json'], {
      environment: { TMPDIR: world.directory },
    })
    expect(code).toBe(2)
    const lines = stderr.trimEnd().split('\n')
    expect(lines[0]).toMatch(new RegExp(`^${file}:\\d+:\\d+$`))
    expect(lines[1]).toMatch(/^error workflow-[a-z-]+: [A-Z].*\.$/)
    expect(lines[2]).toMatch(/^ {2}next: .*\.$/)
    expect(stderr).not.toMatch(/\n\s+at /)
    expect(stdout).toBe('')
    expect([world.files(), world.processes()]).toEqual([[], []])
  })
})
