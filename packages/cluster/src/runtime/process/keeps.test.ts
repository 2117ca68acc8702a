// Containers that outlive the runtime that started them: a later one finds them by their records.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@dayfly/kit/system'
import { afterEach, expect, test } from 'vitest'
import type { ContainerConfig, Runtime } from '../runtime.ts'
import { textOf, wholeLog } from './process-helpers.fixture.ts'
import { createProcessRuntime } from './process-runtime.ts'
import { processScan } from './processes.ts'
import { shimArguments } from './shim.ts'

const clock = systemClock()
const until = new AbortController().signal
const environment = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' }
const id = { pod: 'uid-1', name: 'main', attempt: 0 }
let data = ''

afterEach(async () => {
  await createProcessRuntime({ dataDirectory: data, clock, environment, images: {} }).close()
  expect([existsSync(data), processScan(data).run()]).toEqual([false, []])
})

function open(): Runtime {
  if (!existsSync(data)) data = mkdtempSync(join(realpathSync(tmpdir()), 'dayfly-keeps-'))
  return createProcessRuntime({ dataDirectory: data, keeps: true, clock, environment, images: {} })
}

function shell(script: string, more: Partial<ContainerConfig> = {}): ContainerConfig {
  const words = { command: ['sh', '-c', script], args: [], workingDir: undefined, terminationMessagePath: '/dev/end' }
  return { id, image: 'any', ...words, env: {}, isFirstProcess: false, mounts: [], ...more }
}

const own = (name: string) => join(data, 'pods/uid-1/main.0', name)

async function started(runtime: Runtime, config: ContainerConfig) {
  const start = await runtime.start(config)
  if (start.is === 'failed') throw new Error(start.message)
  return start
}

test('a container goes on without its runtime, and the next one finds its start, log, environment and end', async () => {
  const first = open()
  const script = 'echo one; until [ -e go ]; do sleep 0.01; done; echo two; echo why >"$DAYFLY_ROOT/dev/end"; exit 9'
  const start = await started(first, shell(script, { env: { NAME: 'x y' } }))
  await expect.poll(() => textOf(first.logs(id, wholeLog, until))).toBe('one\n')
  await first.close()
  expect(await first.exec(id, ['true'], 1_000)).toMatchObject({ is: 'failed' })
  const next = open()
  expect([...next.left()]).toEqual([['uid-1', [id]]])
  const found = next.adopt(id)
  expect(found).toMatchObject({ isRunning: true, startedAt: start.startedAt })
  const command = ['sh', '-c', 'echo "$NAME in $(pwd)"']
  expect(await next.exec(id, command, 5_000)).toEqual({ is: 'ended', exitCode: 0, output: `x y in ${own('root')}\n` })
  const followed = textOf(next.logs(id, { ...wholeLog, follow: true }, until))
  writeFileSync(own('root/go'), '')
  const end = await found?.ended
  expect(end).toMatchObject({ exitCode: 9, message: 'why\n' })
  expect(await followed).toBe('one\ntwo\n')
  await next.close()
  const last = open().adopt(id)
  expect(last?.isRunning).toBe(false)
  expect(await last?.ended).toEqual(end)
})

test('a container that ended without any runtime has its exit code, its time, and nothing that it left behind', async () => {
  const first = open()
  await started(first, shell('setsid env -i sleep 300 & sleep 0.3; echo bye; exit 5'))
  await first.close()
  await expect.poll(() => readFileSync(own('exit'), 'utf8')).toMatch(/^5\n/)
  await clock.sleep(1_200)
  const since = clock.now()
  const next = open()
  const end = await next.adopt(id)?.ended
  expect(end?.exitCode).toBe(5)
  expect(end?.finishedAt).toBeLessThan(since - 1_000)
  expect(processScan(data).run()).toEqual([])
  // Its lines have the time of the last of them, not the time at which the next runtime read them.
  const stamped = await textOf(next.logs(id, { ...wholeLog, timestamps: true }, until))
  expect(Date.parse(stamped.split(' ')[0] ?? '')).toBeLessThan(since - 1_000)
})

test('lines keep their times', async () => {
  const first = open()
  await started(first, shell('echo one; until [ -e go ]; do sleep 0.01; done; echo two; sleep 300'))
  const stamps = (runtime: Runtime) => textOf(runtime.logs(id, { ...wholeLog, timestamps: true }, until))
  await expect.poll(() => stamps(first)).toMatch(/one\n$/)
  await clock.sleep(100)
  writeFileSync(own('root/go'), '')
  await expect.poll(() => stamps(first)).toMatch(/two\n$/)
  await expect.poll(() => readFileSync(own('times'), 'utf8')).toMatch(/^8 \d+$/m)
  const before = await stamps(first)
  await first.close()
  expect(await stamps(open())).toBe(before)
})

test('a graceful stop works on a container of an earlier runtime', async () => {
  const first = open()
  await started(first, shell('trap "echo bye; exit 4" TERM; echo up; while :; do sleep 0.01; done'))
  await expect.poll(() => textOf(first.logs(id, wholeLog, until))).toBe('up\n')
  await first.close()
  const next = open()
  await next.stop(id, 5_000)
  expect(await next.adopt(id)?.ended).toMatchObject({ exitCode: 4 })
  await next.remove('uid-1')
  expect([next.adopt(id), next.left().size]).toEqual([undefined, 0])
})

test('a pid that another process has now is not taken for the container', async () => {
  const first = open()
  await started(first, shell('exit 0'))
  await expect.poll(() => readFileSync(own('exit'), 'utf8')).toMatch(/^0\n/)
  await first.close()
  // The machine was restarted: the exit code is not there, and the pids belong to others.
  writeFileSync(own('exit'), '    \n')
  const stat = readFileSync('/proc/self/stat', 'utf8')
  for (const name of ['shim', 'main']) writeFileSync(own(name), stat)
  const found = open().adopt(id)
  expect(found?.isRunning).toBe(false)
  expect(await found?.ended).toMatchObject({ exitCode: 137, reason: 'ContainerStatusUnknown' })
})

test('a start that a kill cut short is done again, and a command that has begun is never run twice', async () => {
  const first = open()
  mkdirSync(own('root'), { recursive: true })
  writeFileSync(own('root/left'), '')
  const again = await started(first, shell('ls; exit 3'))
  expect(await again.ended).toMatchObject({ exitCode: 3 })
  expect(await textOf(first.logs(id, wholeLog, until))).not.toContain('left')
  await first.close()
  const next = open()
  expect(await (await started(next, shell('echo twice'))).ended).toMatchObject({ exitCode: 3 })
  // The shim of a start that was cut short may begin late. It finds that the directory is taken.
  const late = spawnSync('/bin/sh', shimArguments(join(data, 'pods/uid-1/main.0'), ['echo', 'late']))
  expect([late.status, late.stdout.toString()]).toEqual([2, ''])
  await next.close()
})

test('a container that signals its whole process group loses no exit code, and its environment is its own', async () => {
  const runtime = open()
  const script = 'trap "kill 0" EXIT; trap "" TERM; echo "$d $pid $dayfly"; exit 6'
  const { ended } = await started(runtime, shell(script, { env: { d: '1', pid: '2', dayfly: '3' } }))
  expect(await ended).toMatchObject({ exitCode: 6 })
  expect(await textOf(runtime.logs(id, wholeLog, until))).toBe('1 2 3\n')
})

test('a command of a client ends with the runtime, and its container goes on and takes the next one', async () => {
  const order = { command: ['sleep', '1000'], stdin: false, stdout: undefined, stderr: undefined }
  const first = open()
  await started(first, shell('while :; do sleep 1000; done'))
  await expect.poll(() => processScan(data).run().length).toBe(3)
  const session = first.session(id, order, until)
  expect(processScan(data).run()).toHaveLength(4)
  await first.close()
  expect(await session?.ended).toEqual({ is: 'exited', exitCode: 137 })
  expect(first.session(id, order, until)).toBeUndefined()
  expect(processScan(data).run()).toHaveLength(3)
  const next = open()
  const printed: string[] = []
  const command = ['sh', '-c', 'echo "$DAYFLY_ROOT"; exit 5']
  const stdout = async (piece: Uint8Array) => void printed.push(Buffer.from(piece).toString())
  const last = next.session(id, { ...order, command, stdout }, until)
  expect(await last?.ended).toEqual({ is: 'exited', exitCode: 5 })
  expect(printed).toEqual([`${own('root')}\n`])
  await next.close()
})
