import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { systemClock } from '@dayfly/kit/system'
import { afterEach, expect, test } from 'vitest'
import type { ContainerConfig, ContainerEnd, Mount, Runtime } from '../runtime.ts'
import { eventually, textOf, wholeLog } from './process-helpers.fixture.ts'
import { createProcessRuntime } from './process-runtime.ts'
import { processScan } from './processes.ts'

const clock = systemClock()
const until = new AbortController().signal
const environment = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' }
let open: { runtime: Runtime; data: string }[] = []

afterEach(async () => {
  for (const { runtime, data } of open) {
    await runtime.close()
    expect(existsSync(data)).toBe(false)
    expect(processScan(data).run()).toEqual([])
  }
  open = []
})

function world(images = {}) {
  const data = mkdtempSync(join(realpathSync(tmpdir()), 'dayfly-runtime-'))
  const runtime = createProcessRuntime({ dataDirectory: data, clock, environment, images })
  open.push({ runtime, data })
  return { runtime, data }
}

function shell(script: string, more: Partial<ContainerConfig> = {}): ContainerConfig {
  const id = { pod: 'uid-1', name: 'main', attempt: 0 }
  return {
    id,
    image: 'any',
    command: ['sh', '-c', script],
    args: [],
    env: {},
    workingDir: undefined,
    terminationMessagePath: undefined,
    isFirstProcess: false,
    mounts: [],
    ...more,
  }
}

async function started(runtime: Runtime, config: ContainerConfig): Promise<Promise<ContainerEnd>[]> {
  const start = await runtime.start(config)
  if (start.is === 'failed') throw new Error(start.message)
  return [start.ended]
}

async function run(runtime: Runtime, config: ContainerConfig): Promise<ContainerEnd> {
  const [ended] = await started(runtime, config)
  return await (ended as Promise<ContainerEnd>)
}

test.each([
  ['exit 0', 0],
  ['exit 7', 7],
  ['kill -9 $$', 137],
  ['kill -TERM $$', 143],
  ['kill -SEGV $$', 139],
])('%s gives exit code %i', async (script, exitCode) => {
  const { runtime } = world()
  expect(await run(runtime, shell(script))).toMatchObject({ exitCode })
})

test('a container finds its mounts, environment and working directory below DAYFLY_ROOT', async () => {
  const { runtime, data } = world()
  const secret: Mount = {
    mountPath: '/run/dayfly',
    subPath: undefined,
    volume: { name: 'credential', files: [{ path: 'credential', data: Buffer.from('s3cret'), mode: 0o400 }] },
  }
  const work: Mount = { mountPath: '/work', subPath: 'a/b', volume: { name: 'work', files: [] } }
  const script =
    'cat "$DAYFLY_ROOT/run/dayfly/credential"; echo " $GREETING"; pwd; echo x > "$DAYFLY_ROOT/work/file"; mktemp'
  const config = shell(script, { env: { GREETING: 'hello' }, workingDir: '/home/runner', mounts: [secret, work] })
  expect(await run(runtime, config)).toMatchObject({ exitCode: 0 })
  const lines = (await textOf(runtime.logs(config.id, wholeLog, until))).split('\n')
  const root = join(data, 'pods/uid-1/main.0/root')
  expect(lines.slice(0, 2)).toEqual(['s3cret hello', join(root, 'home/runner')])
  expect(realpathSync(dirname(lines[2] ?? ''))).toBe(join(root, 'tmp'))
  expect(dirname(lines[2] ?? '').length).toBeLessThan(data.length + 15)
  const volumes = join(data, 'pods/uid-1/volumes')
  expect(readFileSync(join(volumes, 'work/a/b/file'), 'utf8')).toBe('x\n')
  const modes = ['work', 'credential/credential'].map((path) => statSync(join(volumes, path)).mode & 0o777)
  expect(modes).toEqual([0o777, 0o400])
  await runtime.remove('uid-1')
  expect([...readdirSync(join(data, 'pods')), ...readdirSync(join(data, 't'))]).toEqual([])
})

test('a command gets variables with names that a shell cannot use', async () => {
  const { runtime } = world()
  const env = { 'data-1': 'one two', '2.app': '$HOME', PLAIN: 'three' }
  await run(runtime, shell('', { command: ['env'], env }))
  const lines = (await textOf(runtime.logs(shell('').id, wholeLog, until))).split('\n')
  expect(lines).toEqual(expect.arrayContaining(['data-1=one two', '2.app=$HOME', 'PLAIN=three']))
})

test('mounts may be nested, may be single files, and are shared by the containers of a pod', async () => {
  const { runtime } = world()
  const mount = (mountPath: string, name: string, subPath?: string): Mount => {
    const files = name === 'config' ? [{ path: 'a', data: Buffer.from('A'), mode: 0o644 }] : []
    return { mountPath, subPath, volume: { name, files } }
  }
  const mounts = [
    mount('/work/tools', 'tools'),
    mount('/work', 'work'),
    mount('/etc/a.conf', 'config', 'a'),
    mount('/tmp', 'work', 't'),
  ]
  const script =
    'cd "$DAYFLY_ROOT"; test ! -e work/seen || echo again; touch work/seen; cat etc/a.conf; touch work/tools/x tmp/y; ls work/t'
  for (const name of ['one', 'two']) {
    const config = shell(script, { id: { pod: 'uid-1', name, attempt: 0 }, mounts })
    expect(await run(runtime, config)).toMatchObject({ exitCode: 0 })
    expect(await textOf(runtime.logs(config.id, wholeLog, until))).toBe(name === 'one' ? 'Ay\n' : 'again\nAy\n')
  }
  const taken = shell('true', {
    id: { pod: 'uid-1', name: 'three', attempt: 0 },
    mounts: [mount('/x', 'work'), mount('/x', 'tools')],
  })
  expect(await runtime.start(taken)).toMatchObject({ is: 'failed', message: expect.stringContaining('EEXIST') })
})

test('an image of the table has its program at the entrypoint: as the default, and for a command that calls it', async () => {
  const { runtime } = world({
    'example.test/runner:1': { entrypoint: '/home/runner/run.sh', program: ['/bin/echo', "it's", 'me'] },
  })
  const image = 'example.test/runner:1'
  const byCommand = shell('exec "${DAYFLY_ROOT:-}/home/runner/run.sh" --once', { image })
  await run(runtime, byCommand)
  expect(await textOf(runtime.logs(byCommand.id, wholeLog, until))).toBe("it's me --once\n")
  const byDefault = shell('', { image, command: [], args: ['again'], id: { ...byCommand.id, attempt: 1 } })
  await run(runtime, byDefault)
  expect(await textOf(runtime.logs(byDefault.id, wholeLog, until))).toBe("it's me again\n")
})

test('an image without a tag stands for each tag, and one with a tag wins', async () => {
  const echo = (text: string) => ({ entrypoint: '/run.sh', program: ['/bin/echo', text] })
  const { runtime } = world({ 'test:5000/runner': echo('any'), 'test:5000/runner:2': echo('two') })
  const images = ['test:5000/runner', 'test:5000/runner:1', `test:5000/runner:1@sha256:${'0'.repeat(64)}`]
  for (const [attempt, image] of [...images, 'test:5000/runner:2'].entries()) {
    const config = shell('', { image, command: [], id: { pod: 'p', name: 'main', attempt } })
    await run(runtime, config)
    expect(await textOf(runtime.logs(config.id, wholeLog, until))).toBe(attempt < images.length ? 'any\n' : 'two\n')
  }
  expect(runtime.image('test:5000/other:1', 'Always', false)).toMatchObject({ is: 'refused' })
})

test.each([
  ['busybox:1', 'IfNotPresent', true, undefined],
  ['busybox:1', 'IfNotPresent', false, 'ErrImagePull'],
  ['busybox:1', 'Never', false, 'ErrImageNeverPull'],
  ['registry.test:5000/a/b_c:v1.2@sha256:0123456789abcdef0123456789abcdef', 'Always', true, undefined],
  ['BusyBox', 'Always', true, 'InvalidImageName'],
  ['bad image', 'Always', true, 'InvalidImageName'],
  ['a:b:c', 'Always', true, 'InvalidImageName'],
] as const)('judges image %s with policy %s and command %s: %s', (image, policy, hasCommand, reason) => {
  const verdict = world().runtime.image(image, policy, hasCommand)
  expect(verdict.is === 'refused' ? verdict.reason : undefined).toBe(reason)
})

test.each([
  [['nope'], 'exec: "nope": executable file not found in $PATH'],
  [['/nope'], 'exec: "/nope": stat /nope: no such file or directory'],
  [['/etc/passwd'], 'exec: "/etc/passwd": permission denied'],
])('refuses a command that cannot run: %s', async (command, words) => {
  const start = await world().runtime.start(shell('', { command }))
  expect(start).toMatchObject({ is: 'failed', message: expect.stringContaining(words) })
})

test('kills every descendant when the main process ends, even if it hides', async () => {
  const { runtime, data } = world()
  const hide = [
    'sleep 300 &',
    'sh -c \'trap "" TERM; while :; do sleep 1; done\' &',
    'setsid env -i sleep 300 &',
    'setsid sh -c "cd /; sleep 300" &',
    'setsid sh -c "setsid env -i /bin/sh -c \\"sleep 300; :\\" &" &',
    'sleep 0.1; exit 3',
  ].join('\n')
  expect(await run(runtime, shell(hide))).toMatchObject({ exitCode: 3 })
  expect(processScan(data).run()).toEqual([])
})

test('kills a process in a shared volume with the last container of the pod', async () => {
  const { runtime, data } = world()
  const mounts: Mount[] = [{ mountPath: '/work', subPath: undefined, volume: { name: 'work', files: [] } }]
  const other = shell('sleep 300', { id: { pod: 'uid-1', name: 'other', attempt: 0 }, mounts })
  await started(runtime, other)
  // The container ends once the process has lost its environment, so that only its folder shows where it belongs.
  const left = `setsid env -i sh -c ': > begun; exec sleep 301' & until [ -e begun ]; do sleep 0.01; done`
  await run(runtime, shell(`cd "$DAYFLY_ROOT/work"; ${left}`, { mounts }))
  expect(
    processScan(data)
      .run()
      .map(({ place }) => place.split('/').at(-1)),
  ).toContain('volumes')
  await runtime.stop(other.id, 1000)
  expect(processScan(data).run()).toEqual([])
})

test('stop sends SIGTERM to the main process and waits for it', async () => {
  const { runtime } = world()
  const config = shell('trap "echo bye; exit 4" TERM; echo ready; while :; do sleep 0.01; done')
  const [ended] = await started(runtime, config)
  for await (const chunk of runtime.logs(config.id, { ...wholeLog, follow: true }, until))
    if (/ready/.test(chunk)) break
  await runtime.stop(config.id, 5000)
  expect(await ended).toMatchObject({ exitCode: 4 })
  expect(await textOf(runtime.logs(config.id, wholeLog, until))).toBe('ready\nbye\n')
})

test('stop kills a process that ignores SIGTERM after the grace period, and at once without one', async () => {
  const { runtime, data } = world()
  const stubborn = (name: string) =>
    shell('trap "" TERM; touch trapped; while :; do sleep 1; done', { id: { pod: 'p', name, attempt: 0 } })
  const [first] = await started(runtime, stubborn('a'))
  const [second] = await started(runtime, stubborn('b'))
  for (const name of ['a', 'b']) {
    while (!existsSync(join(data, `pods/p/${name}.0/root/trapped`))) await clock.sleep(10)
  }
  const start = clock.now()
  await runtime.stop(stubborn('b').id, 0)
  expect(await second).toMatchObject({ exitCode: 137 })
  await runtime.stop(stubborn('a').id, 300)
  expect(await first).toMatchObject({ exitCode: 137 })
  expect(clock.now() - start).toBeGreaterThanOrEqual(300)
})

test('stop right after the start ends the container', async () => {
  const { runtime } = world()
  for (const graceMs of [0, 1000]) {
    const config = shell('sleep 300', { id: { pod: 'p', name: 'c', attempt: graceMs } })
    const [ended] = await started(runtime, config)
    await runtime.stop(config.id, graceMs)
    expect((await ended)?.exitCode).toBe(graceMs === 0 ? 137 : 143)
  }
})

test('ends a container whose shim was killed', async () => {
  const { runtime, data } = world()
  const config = shell('echo up; sleep 300')
  const [ended] = await started(runtime, config)
  await eventually(() => existsSync(join(data, 'pods/uid-1/main.0/main')))
  process.kill(Number.parseInt(readFileSync(join(data, 'pods/uid-1/main.0/shim'), 'utf8'), 10), 'SIGKILL')
  expect(await ended).toMatchObject({ exitCode: 137, reason: 'ContainerStatusUnknown' })
})

test('a container survives a restart of the runtime, which finds its end, log and exit code', async () => {
  const { runtime, data } = world()
  const long = shell('echo before; while [ ! -e "$DAYFLY_ROOT/go" ]; do sleep 0.01; done; echo after; exit 9')
  const short = shell('exit 5', { id: { pod: 'uid-1', name: 'short', attempt: 0 } })
  await started(runtime, long)
  await run(runtime, short)
  const next = createProcessRuntime({ dataDirectory: data, clock, environment, images: {} })
  expect(await run(next, short)).toMatchObject({ exitCode: 5 })
  const [ended] = await started(next, long)
  writeFileSync(join(data, 'pods/uid-1/main.0/root/go'), '')
  expect(await ended).toMatchObject({ exitCode: 9 })
  expect(await textOf(next.logs(long.id, wholeLog, until))).toBe('before\nafter\n')
})

test('ends the containers of a killed Dayfly process when the next runtime with the same directory closes', async () => {
  const { runtime, data } = world()
  const root = join(data, 'pods/uid-1/main.0/root')
  mkdirSync(root, { recursive: true })
  const left = spawn('env', ['-i', 'sleep', '300'], { cwd: root, detached: true })
  const gone = new Promise((resolve) => left.once('exit', (_, signal) => resolve(signal)))
  const next = createProcessRuntime({ dataDirectory: data, clock, environment, images: {} })
  await next.close()
  expect(await gone).toBe('SIGKILL')
  await runtime.close()
})

test('a closed runtime starts no container', async () => {
  const { runtime } = world()
  const closed = runtime.close()
  expect(await runtime.start(shell('sleep 300'))).toMatchObject({ is: 'failed' })
  await closed
})

test('exec runs beside the main process, with a time limit', async () => {
  const { runtime } = world()
  const config = shell('echo $$ > pid; sleep 300', { env: { NAME: 'x' } })
  await started(runtime, config)
  const exec = (script: string, timeoutMs = 5000) => runtime.exec(config.id, ['sh', '-c', script], timeoutMs)
  expect(await exec('echo out $NAME; echo err >&2; exit 2')).toEqual({
    is: 'ended',
    exitCode: 2,
    output: expect.any(String),
  })
  expect(await exec('sleep 300', 30)).toEqual({ is: 'timed-out' })
  expect(await runtime.exec(config.id, ['nope'], 100)).toMatchObject({ is: 'failed' })
  await runtime.stop(config.id, 0)
  expect(await exec('true')).toMatchObject({ is: 'failed' })
})

test('reads logs with tail, limit, timestamps and since, and follows them to the end', async () => {
  const { runtime } = world()
  const config = shell('echo one; echo two; until [ -e go ]; do sleep 0.01; done; echo three; printf four')
  const [ended] = await started(runtime, config)
  const followed = textOf(runtime.logs(config.id, { ...wholeLog, follow: true }, until))
  await expect.poll(() => textOf(runtime.logs(config.id, wholeLog, until))).toBe('one\ntwo\n')
  // Wait until everything that was written has its time.
  const unseen = { ...wholeLog, since: Number.MAX_SAFE_INTEGER }
  await expect.poll(() => textOf(runtime.logs(config.id, unseen, until))).toBe('')
  await runtime.exec(config.id, ['touch', 'go'], 5000)
  await ended
  expect(await followed).toBe('one\ntwo\nthree\nfour')
  expect(await textOf(runtime.logs(config.id, { ...wholeLog, tailLines: 2 }, until))).toBe('three\nfour')
  expect(await textOf(runtime.logs(config.id, { ...wholeLog, tailLines: 0 }, until))).toBe('')
  expect(await textOf(runtime.logs(config.id, { ...wholeLog, tailLines: 9 }, until))).toBe('one\ntwo\nthree\nfour')
  expect(await textOf(runtime.logs(config.id, { ...wholeLog, limitBytes: 5 }, until))).toBe('one\nt')
  const stamped = (await textOf(runtime.logs(config.id, { ...wholeLog, timestamps: true }, until))).split('\n')
  const times = stamped.map((line) => Date.parse(line.split(' ')[0] ?? ''))
  expect(stamped.map((line) => line.split(' ')[1])).toEqual(['one', 'two', 'three', 'four'])
  expect(times[2]).toBeGreaterThan(times[1] ?? 0)
  expect(await textOf(runtime.logs(config.id, { ...wholeLog, since: (times[1] ?? 0) + 1 }, until))).toBe('three\nfour')
})

test('fifty containers start and end at the same time, and leave nothing', async () => {
  const { runtime, data } = world()
  const configs = Array.from({ length: 50 }, (_, index) =>
    shell(`setsid env -i sleep 300 & sleep 0.2; exit ${index}`, { id: { pod: `pod-${index}`, name: 'c', attempt: 0 } }),
  )
  const ends = await Promise.all(configs.map((config) => run(runtime, config)))
  expect(ends.map(({ exitCode }) => exitCode)).toEqual(configs.map((_, index) => index))
  expect(processScan(data).run()).toEqual([])
})

test('the first process of a container gets SIGTERM only if it handles the signal', async () => {
  const { runtime } = world()
  const stopAfter = async (name: string, script: string, isFirstProcess: boolean) => {
    const id = { pod: 'uid-1', name, attempt: 0 }
    const [ended] = await started(runtime, shell(script.replace('while', 'echo on; while'), { id, isFirstProcess }))
    while ((await textOf(runtime.logs(id, wholeLog, until))) !== 'on\n') await clock.sleep(10)
    await runtime.stop(id, 700)
    return (await ended)?.exitCode
  }
  expect(
    await Promise.all([
      stopAfter('deaf', 'while :; do sleep 0.1; done', true),
      stopAfter('listening', 'trap "exit 5" TERM; while :; do sleep 0.1; done', true),
      stopAfter('second', 'while :; do sleep 0.1; done', false),
    ]),
  ).toEqual([137, 5, 143])
})

test('returns the end of the termination message file, however large it is', async () => {
  const { runtime } = world()
  const at = (name: string, path: string) => ({ id: { pod: 'uid-1', name, attempt: 0 }, terminationMessagePath: path })
  const written = await run(runtime, shell('echo why >"$DAYFLY_ROOT/tmp/end"; exit 2', at('written', '/tmp/end')))
  const long = await run(
    runtime,
    shell('yes | head -c 50000 >"$DAYFLY_ROOT/dev/log"; echo last >>"$DAYFLY_ROOT/dev/log"', at('long', '/dev/log')),
  )
  const silent = await run(runtime, shell('exit 0', at('silent', '/dev/log')))
  expect([written.message, silent.message]).toEqual(['why\n', undefined])
  expect([long.message?.length, long.message?.endsWith('y\nlast\n')]).toEqual([4_096, true])
})
