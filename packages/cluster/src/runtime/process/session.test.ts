// Commands of clients beside the main process of a container, with real processes.
import { createHash } from 'node:crypto'
import { mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '@dayfly/kit/clock'
import type { CommandOrder } from '@dayfly/kit/command-session'
import { systemClock } from '@dayfly/kit/system'
import { afterEach, expect, test } from 'vitest'
import type { Runtime } from '../runtime.ts'
import { eventually } from './process-helpers.fixture.ts'
import { createProcessRuntime } from './process-runtime.ts'
import { processScan } from './processes.ts'

const clock = systemClock()
const id = { pod: 'uid-1', name: 'main', attempt: 0 }
const open: { runtime: Runtime; data: string }[] = []

afterEach(async () => {
  for (const { runtime, data } of open.splice(0)) {
    await runtime.close()
    expect(processScan(data).run()).toEqual([])
  }
})

/** Starts a container with this script. */
async function world(script = 'while :; do sleep 1000; done', its = clock) {
  const data = mkdtempSync(join(realpathSync(tmpdir()), 'dayfly-session-'))
  const environment = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' }
  const runtime = createProcessRuntime({ dataDirectory: data, clock: its, environment, images: {} })
  open.push({ runtime, data })
  const config = { id, image: 'any', command: ['sh', '-c', script], args: [], env: { GIVEN: 'yes' }, mounts: [] }
  const rest = { workingDir: undefined, terminationMessagePath: undefined, isFirstProcess: false }
  const start = await runtime.start({ ...config, ...rest })
  if (start.is === 'failed') throw new Error(start.message)
  const until = new AbortController()
  const out: Buffer[] = []
  const err: Buffer[] = []
  const keep = (pieces: Buffer[]) => async (piece: Uint8Array) => void pieces.push(Buffer.from(piece))
  const session = (command: readonly string[], more: Partial<CommandOrder> = {}) => {
    const order = { command, stdin: true, stdout: keep(out), stderr: keep(err), ...more }
    const made = runtime.session(id, order, until.signal)
    if (!made) throw new Error('the container does not run')
    return made
  }
  const shell = (words: string, more: Partial<CommandOrder> = {}) => session(['sh', '-c', words], more)
  const texts = () => [Buffer.concat(out).toString(), Buffer.concat(err).toString()]
  /** The number of processes of the container besides its main process, the shim and the sleep of the script. */
  const others = () => processScan(data).run().length - 3
  return { runtime, data, session, shell, until, out, texts, others, ended: start.ended }
}

test.each([
  ['exit 0', 0],
  ['exit 3', 3],
  ['kill -TERM $$', 143],
  ['kill -9 $$', 137],
])('%s ends with exit code %i', async (script, exitCode) => {
  const { shell } = await world()
  expect(await shell(script).ended).toEqual({ is: 'exited', exitCode })
})

test('the command has the environment and the directory of the container, and its two outputs stay apart', async () => {
  const { shell, texts, data } = await world()
  await shell('echo $GIVEN; pwd; echo wrong >&2').ended
  expect(texts()).toEqual([`yes\n${join(data, 'pods/uid-1/main.0/root')}\n`, 'wrong\n'])
})

/** Blocks this process, as a busy machine does. */
function stall(ms: number): void {
  for (const start = clock.now(); clock.now() - start < ms; );
}

test('keeps the output of a command that ended while this process was stalled', async () => {
  let drains = 0
  const stalling: Clock = {
    now: () => clock.now(),
    after: (ms, run) => clock.after(ms, run),
    sleep: (ms, signal) => {
      const slept = clock.sleep(ms, signal)
      if (ms === 1_000 && drains++ === 0) stall(1_200)
      return slept
    },
  }
  const { shell, texts } = await world(undefined, stalling)
  const late = shell('sleep 0.4; echo late')
  const stdout = async () => stall(700)
  const early = shell('echo early', { stdout })
  stall(150)
  await Promise.all([late.ended, early.ended])
  expect(texts()[0]).toBe('late\n')
})

test('megabytes pass through the command unchanged, at the pace of a slow client', async () => {
  const slow: Buffer[] = []
  const { session } = await world()
  const cat = session(['cat'], {
    stdout: async (piece) => {
      slow.push(Buffer.from(piece))
      if (slow.length % 20 === 0) await clock.sleep(5)
    },
  })
  const [sent, got] = [createHash('sha256'), createHash('sha256')]
  for (let index = 0; index < 200; index++) {
    const piece = Buffer.alloc(32_768, `${index} `)
    sent.update(piece)
    await cat.write(piece)
  }
  cat.endInput()
  expect(await cat.ended).toEqual({ is: 'exited', exitCode: 0 })
  for (const piece of slow) got.update(piece)
  expect(got.digest('hex')).toBe(sent.digest('hex'))
})

test('a client that takes no output stops the command, and its input is bounded by the pipe', async () => {
  const { shell, until, others } = await world()
  let taken = 0
  const yes = shell('exec yes', {
    stdout: async () => {
      taken++
      await new Promise(() => {})
    },
  })
  await clock.sleep(300)
  expect(taken).toBe(1)
  let written = 0
  const sleeps = shell('exec sleep 1000')
  const write = async () => {
    for (; written < 100; written++) await sleeps.write(Buffer.alloc(65_536))
  }
  void write()
  await clock.sleep(300)
  expect(written).toBeLessThan(10)
  until.abort()
  expect(await Promise.all([yes.ended, sleeps.ended])).toEqual([
    { is: 'exited', exitCode: 137 },
    { is: 'exited', exitCode: 137 },
  ])
  // Input after the end of the command is dropped.
  await eventually(() => written === 100)
  expect(others()).toBe(0)
})

test('input that the command does not read is dropped, and no input is an end of file', async () => {
  const { shell, session, texts } = await world()
  const short = shell('exec 0<&-; sleep 0.3; echo done')
  for (let index = 0; index < 50; index++) await short.write(Buffer.alloc(65_536))
  expect(await short.ended).toEqual({ is: 'exited', exitCode: 0 })
  expect(await session(['cat'], { stdin: false }).ended).toEqual({ is: 'exited', exitCode: 0 })
  expect(texts()[0]).toBe('done\n')
})

test.each([
  [['nosuch'], 'exec: "nosuch": executable file not found in $PATH'],
  [['/etc/passwd'], 'exec: "/etc/passwd": permission denied'],
  [['sh', '-c', 'a\0b'], 'null bytes'],
  [['a\0/b'], 'null bytes'],
])('the command %j is refused', async (command, why) => {
  const { session } = await world()
  expect(await session(command).ended).toEqual({
    is: 'failed',
    message: expect.stringMatching(/^failed to exec in container: OCI runtime exec failed: .* container process: /),
  })
  expect(JSON.stringify(await session(command).ended)).toContain(why.replaceAll('"', '\\"'))
})

test('a client that goes away kills the whole pipeline', async () => {
  const { shell, until, others } = await world()
  const session = shell('sleep 1000 | sleep 1000; sleep 1000')
  await eventually(() => others() === 3)
  until.abort()
  expect(await session.ended).toEqual({ is: 'exited', exitCode: 137 })
  await eventually(() => others() === 0)
  expect(await shell('echo never').ended).toEqual({ is: 'failed', message: 'the client is gone' })
})

test('a process that the command leaves behind does not hold up its end, and ends with the container', async () => {
  const { shell, others, runtime, data, texts } = await world()
  expect(await shell('setsid sleep 1000 & echo left').ended).toEqual({ is: 'exited', exitCode: 0 })
  expect([texts()[0], others()]).toEqual(['left\n', 1])
  await runtime.stop(id, 0)
  expect(processScan(data).run()).toEqual([])
})

test('the end of the container ends its sessions, also one that hides, and no other can start', async () => {
  const { shell, session, runtime, ended, data } = await world('until [ -e go ]; do sleep 0.01; done')
  const hidden = session(['env', '-i', '/bin/sh', '-c', 'cd /; exec sleep 1000'])
  const plain = shell('touch go; exec sleep 1000')
  await ended
  expect(await Promise.all([hidden.ended, plain.ended])).toEqual([
    { is: 'exited', exitCode: 137 },
    { is: 'exited', exitCode: 137 },
  ])
  expect(processScan(data).run()).toEqual([])
  const order = { command: ['true'], stdin: false, stdout: undefined, stderr: undefined }
  expect(runtime.session(id, order, new AbortController().signal)).toBeUndefined()
  expect(runtime.session({ ...id, name: 'other' }, order, new AbortController().signal)).toBeUndefined()
})

test('sessions that start while the container ends leave no process', async () => {
  for (let round = 0; round < 5; round++) {
    const { runtime, ended, data } = await world('sleep 0.1')
    const sessions: Promise<unknown>[] = []
    const order = { command: ['sleep', '1000'], stdin: false, stdout: undefined, stderr: undefined }
    for (let isOver = false; !isOver; await clock.sleep(3)) {
      const session = runtime.session(id, order, new AbortController().signal)
      if (session) sessions.push(session.ended)
      else isOver = true
    }
    await ended
    await Promise.all(sessions)
    expect(processScan(data).run()).toEqual([])
  }
}, 60_000)

test('the end of the runtime ends every session', async () => {
  const { shell, runtime } = await world()
  const session = shell('exec sleep 1000')
  await runtime.close()
  expect(await session.ended).toEqual({ is: 'exited', exitCode: 137 })
})
