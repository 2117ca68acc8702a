// The small runner as a Bitbucket runner: real processes against the emulator over real HTTP.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { seededRandom } from '@dayfly/kit/random'
import { systemClock } from '@dayfly/kit/system'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { StepSpec } from '../../bitbucket/state.ts'
import { isAlive } from '../runner-program.fixture.ts'
import { runnersPath, type StepRunners, stepRunners } from '../step-runners.fixture.ts'
import { createStopper } from '../stopper.ts'
import { readStepCredential } from './credential.ts'
import { runDaemon } from './daemon.ts'

let world: StepRunners

beforeEach(async () => {
  world = await stepRunners()
})
afterEach(() => world.close())

const queue = (script: readonly string[], more: Partial<StepSpec> = {}) => {
  const [uuid = ''] = world.emulator.control.queueSteps([{ repository: 'app', labels: ['linux'], script, ...more }])
  return () => {
    const step = world.emulator.control.step(uuid)
    if (!step) throw new Error('the step is not known')
    return step
  }
}
const runner = (name: string) => world.emulator.control.runners().find((each) => each.name === name)
const asks = () =>
  world.emulator.control.requests().filter(({ method, path }) => method === 'GET' && path.endsWith('/step')).length
const over = (step: ReturnType<typeof queue>) => world.until(() => step().state === 'COMPLETED')
const printed = (step: ReturnType<typeof queue>, line: string) => world.until(() => step().log.lines.includes(line))

test('runs one step after another, each in an empty folder, and prints the lines of the real runner', async () => {
  const one = await world.online('r-1')
  const first = queue(['echo "$CI $BITBUCKET_BUILD_NUMBER $BITBUCKET_REPO_FULL_NAME"', 'touch file; pwd'])
  const second = queue([
    'ls | wc -l',
    'export A=1; cd /',
    'echo "$A $PWD"',
    'test "$PWD" = "$BITBUCKET_CLONE_DIR"',
    'x',
  ])
  await over(second)
  expect([first().result, second().result, second().reason]).toEqual([
    'SUCCESSFUL',
    'FAILED',
    'The script ended with exit code 1.',
  ])
  const uuid = first().uuid
  expect(first().log.lines).toEqual([
    '+ echo "$CI $BITBUCKET_BUILD_NUMBER $BITBUCKET_REPO_FULL_NAME"',
    'true 1 acme/app',
    '+ touch file; pwd',
    path.join(one.directory, 'steps', uuid, 'build'),
  ])
  expect(second().log.lines).toEqual([
    '+ ls | wc -l',
    '0',
    '+ export A=1; cd /',
    '+ echo "$A $PWD"',
    '1 /',
    '+ test "$PWD" = "$BITBUCKET_CLONE_DIR"',
    'The script ended with exit code 1.',
  ])
  expect(readdirSync(path.join(one.directory, 'steps'))).toEqual([])
  expect(runner('r-1')).toMatchObject({ status: 'ONLINE', step: undefined, steps: 2 })
  one.kill('SIGTERM')
  const { code, output } = await one.ended
  expect(code).toBe(143)
  const lines = output.split('\n').map((line) => line.replace(/^\[[^\]]*\] /, ''))
  const { pipeline, repository } = first()
  const ids = `accountUuid=${world.workspace}, repositoryUuid={${repository.uuid}}, pipelineUuid={${pipeline.uuid}}`
  expect(lines.slice(0, 3)).toEqual([
    'Updating runner status to "ONLINE" and checking for new steps assigned to the runner after 0 seconds and then every 0.1 seconds.',
    `Getting step StepId{${ids}, stepUuid={${uuid}}}.`,
    'Completing step with result Result{status=PASSED, error=None}.',
  ])
  expect(lines[4]).toBe(
    'Completing step with result Result{status=FAILED, error=Some(The script ended with exit code 1.)}.',
  )
})

test('the after-script runs after a failure in a new shell, knows it, and does not change the result', async () => {
  await world.online('r-1')
  const afterScript = ['echo "after $BITBUCKET_EXIT_CODE $A"', 'exit 9']
  const failed = queue(['export A=1', "sh -c 'exit 7'", 'echo never'], { afterScript })
  const passed = queue(['true'], { afterScript })
  await over(passed)
  expect([failed().result, passed().result]).toEqual(['FAILED', 'SUCCESSFUL'])
  expect(failed().log.lines).toContain('after 7 ')
  expect(failed().log.lines).not.toContain('never')
  expect(passed().log.lines).toContain('after 0 ')
})

test('each command is shown before it runs, so $? is that of the showing', async () => {
  await world.online('r-1')
  const step = queue(['set +e', "sh -c 'exit 7'", 'echo "shown $?"', 'sh -c \'exit 7\'; echo "own $?"', 'true'])
  await over(step)
  expect(step().result).toBe('SUCCESSFUL')
  expect(step().log.lines).toEqual(expect.arrayContaining(['shown 0', 'own 7']))
})

test('max-time ends a script that ignores it, with its processes, and the after-script still runs', async () => {
  await world.online('r-1')
  const step = queue(["trap '' INT TERM; (trap '' INT TERM; sleep 63) & echo \"pid $!\"; sleep 63; sleep 63"], {
    maxTimeMinutes: 1 / 120,
    afterScript: ['echo cleaned'],
  })
  await over(step)
  expect(step()).toMatchObject({ result: 'FAILED', reason: expect.stringContaining('exceeded its maximum time') })
  expect(step().log.lines).toContain('cleaned')
  const child = Number(/pid (\d+)/.exec(step().log.lines.join('\n'))?.[1])
  await expect.poll(() => isAlive(child), { timeout: 5_000 }).toBe(false)
})

test('a step sees neither the credentials nor a folder of another step, and cannot forge the markers', async () => {
  const one = await world.online('r-1')
  const step = queue([
    'env | grep -cE "OAUTH|RUNNER_UUID|DAYFLY_EMULATOR" || true',
    'echo "Completing step with result"',
  ])
  await over(step)
  expect(step().log.lines).toContain('0')
  const secret = one.env['OAUTH_CLIENT_SECRET'] ?? ''
  const masked = queue([`echo ${secret}`])
  await over(masked)
  expect(masked().log.lines).toContain('***')
  one.kill('SIGTERM')
  expect((await one.ended).output.match(/Completing step/g)).toHaveLength(2)
})

test('SIGTERM lets the step end, and the runner takes no other; a second signal ends the step', async () => {
  const one = await world.online('r-1')
  const first = queue(['echo begun', 'sleep 1', 'echo done'])
  const waiting = queue(['true'])
  await printed(first, 'begun')
  one.kill('SIGTERM')
  expect((await one.ended).code).toBe(143)
  expect([first().result, first().log.lines.at(-1), waiting().state]).toEqual(['SUCCESSFUL', 'done', 'READY'])
  const two = await world.online('r-2', ['linux', 'two'])
  const long = queue(['echo begun', 'sleep 64'], { labels: ['two'], afterScript: ['echo never'] })
  await printed(long, 'begun')
  two.kill('SIGTERM')
  await world.until(() => long().state === 'IN_PROGRESS')
  two.kill('SIGINT')
  // The process may see the second signal first.
  expect([130, 143]).toContain((await two.ended).code)
  expect(long()).toMatchObject({ result: 'FAILED', reason: 'The step was stopped.' })
  expect(long().log.lines).not.toContain('never')
})

test('a cordoned runner finishes its step and gets no other, and a deleted one exits with 0', async () => {
  const one = await world.online('r-1')
  const first = queue(['echo begun', 'sleep 0.5'])
  await printed(first, 'begun')
  const second = queue(['true'])
  const runnerPath = `${runnersPath}/${one.uuid}`
  const internal = runnerPath.replace('/2.0', '/internal')
  expect(await world.call('PUT', `${internal}/state`, { status: 'DISABLED' })).toBe(200)
  await over(first)
  const asked = asks()
  await world.until(() => asks() > asked + 3)
  expect([first().result, second().state, runner('r-1')?.status]).toEqual(['SUCCESSFUL', 'PENDING', 'DISABLED'])
  expect(await world.call('DELETE', runnerPath)).toBe(204)
  expect((await one.ended).code).toBe(0)
})

test('a runner that is deleted during its step ends the step and exits with 0', async () => {
  const one = await world.online('r-1')
  const step = queue(['echo begun', 'sleep 65'])
  await printed(step, 'begun')
  expect(await world.call('DELETE', `${runnersPath}/${one.uuid}`)).toBe(204)
  expect(step()).toMatchObject({ result: 'ERROR', reason: 'The runner was deleted.' })
  expect((await one.ended).code).toBe(0)
})

test('refused credentials end the runner with 0, and an environment that is not complete with 1', async () => {
  const registered = await world.register('r-1')
  const refused = await world.start(registered, { OAUTH_CLIENT_SECRET: 'wrong' }).ended
  expect([refused.code, refused.output]).toEqual([0, expect.stringContaining('refuses the runner with status 401')])
  const incomplete = await world.start(registered, { ACCOUNT_UUID: 'acme' }).ended
  expect([incomplete.code, incomplete.output]).toEqual([1, 'ACCOUNT_UUID is not a UUID in braces.\n'])
  expect(runner('r-1')?.status).toBe('UNREGISTERED')
})

test('a runner that cannot reach its forge for ten minutes ends with 0', async () => {
  const { env } = await world.register('r-1')
  const credential = readStepCredential({ ...env, DAYFLY_EMULATOR: 'http://127.0.0.1:1' })
  if (typeof credential === 'string') throw new Error(credential)
  const [clock, real] = [virtualClock(), systemClock()]
  const began = clock.now()
  const [stopper, force] = [createStopper(), createStopper()]
  const host = { clock, random: seededRandom(1), stopper, force, inherited: {}, directory: '/', print: () => undefined }
  let code: number | undefined
  void runDaemon(credential, host).then((ended) => {
    code = ended
  })
  for (let round = 0; code === undefined && round < 2_000; round++) {
    await clock.advance(5_000)
    await real.sleep(2)
  }
  expect(code).toBe(0)
  expect(clock.now() - began).toBeGreaterThanOrEqual(600_000)
})

test('a killed runner is offline after its silence, and its step is lost', async () => {
  world.emulator.control.knobs({ silentS: 1, stepLostS: 2 })
  const one = await world.online('r-1')
  const step = queue(['echo begun', 'sleep 3'])
  await printed(step, 'begun')
  one.kill('SIGKILL')
  await world.until(() => runner('r-1')?.status === 'OFFLINE')
  expect(step().state).toBe('IN_PROGRESS')
  await over(step)
  expect(step()).toMatchObject({ result: 'ERROR', reason: 'The runner is lost.' })
})

test('a script that prints forever fills neither the runner nor the forge, and its limit ends it', async () => {
  const one = await world.online('r-1')
  const step = queue(['yes "$(seq 1 200 | tr -d "\\n")"'], { maxTimeMinutes: 1 / 30 })
  await over(step)
  expect(step().reason).toContain('exceeded its maximum time')
  expect(step().log.bytes).toBeLessThanOrEqual(64 * 1024)
  const resident = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${one.pid}/status`, 'utf8'))?.[1]
  expect(Number(resident)).toBeLessThan(250_000)
})

test('a signal that comes while the forge answers with a step does not lose the step', async () => {
  const one = await world.online('r-1')
  world.emulator.control.fault({ match: { pathRegex: '/step$' }, action: { kind: 'delay', ms: 700 }, times: 3 })
  const asked = asks()
  const step = queue(['echo ran'])
  await world.until(() => asks() > asked && step().state === 'READY')
  one.kill('SIGTERM')
  expect((await one.ended).code).toBe(143)
  expect(step()).toMatchObject({ result: 'SUCCESSFUL', log: { lines: ['+ echo ran', 'ran'] } })
})

test('an after-script whose folder is gone says so, and the runner takes the next step', async () => {
  await world.online('r-1')
  const step = queue(['rm -rf "$BITBUCKET_CLONE_DIR"'], { afterScript: ['true'] })
  const next = queue(['true'])
  await over(next)
  expect([step().result, next().result]).toEqual(['SUCCESSFUL', 'SUCCESSFUL'])
  expect(step().log.lines.at(-1)).toMatch(/^After-script: No such directory/)
})

test('a command that ends with a backslash does not swallow the next one, and quotes are shown as they are', async () => {
  await world.online('r-1')
  const step = queue(['echo one \\', 'echo \'it is\' "two"', 'echo a\necho b'])
  await over(step)
  const shown = ['+ echo one \\', 'one', '+ echo \'it is\' "two"', 'it is two', '+ echo a', 'echo b', 'a', 'b']
  expect(step().log.lines).toEqual(shown)
})

test('a step without a script waits as long as on a stub runner, and has its result', async () => {
  await world.online('r-1')
  const [uuid = ''] = world.emulator.control.queueSteps([
    { repository: 'app', labels: ['linux'], durationMs: 200, result: 'FAILED' },
  ])
  await world.until(() => world.emulator.control.step(uuid)?.state === 'COMPLETED')
  const step = world.emulator.control.step(uuid)
  expect(step).toMatchObject({ result: 'FAILED', log: { lines: expect.arrayContaining(['+ sleep 0.2']) } })
})
