// Tests `kubectl exec` and `kubectl cp` against `dayfly cluster`, with real processes in the containers.
import { execFile, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Cli, createWorld, until, type World } from '../cli.ts'
import { findKubectl } from './kubectl.ts'

let obstacle: string | undefined
let program: string
let world: World
let cluster: Cli
let own: string
let environment: NodeJS.ProcessEnv

/** The annotation chooses `second` for commands without `-c`. */
const annotations = { 'kubectl.kubernetes.io/default-container': 'second' }
const containerOf = (name: string, command: readonly string[]) => ({ name, image: 'any', command })
const forever = ['sh', '-c', 'while :; do sleep 1000; done']

function podOf(name: string, containers: readonly object[], more: object = {}): object {
  const spec = { restartPolicy: 'Never', terminationGracePeriodSeconds: 1, containers }
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, ...more }, spec }
}

beforeAll(async () => {
  const found = await findKubectl()
  if (found.is === 'missing') obstacle = found.why
  if (found.is === 'missing') return
  program = found.program
  world = createWorld()
  own = path.join(world.directory, 'own')
  mkdirSync(own)
  cluster = world.start('cluster', '--json')
  const line = await until('the cluster prints its address', 30_000, () => /^\{.*\}$/m.exec(cluster.stdout())?.[0])
  environment = { ...process.env, KUBECONFIG: JSON.parse(line).kubeconfig, HOME: own }
  const pods = [
    podOf('one', [containerOf('main', forever)]),
    podOf('two', [containerOf('first', forever), containerOf('second', forever)], { annotations }),
    podOf('plain', [containerOf('first', forever), containerOf('second', forever)]),
    podOf('over', [containerOf('main', ['true'])]),
  ]
  for (const pod of pods) expect(await kubectl(['create', '-f', '-'], JSON.stringify(pod))).toMatchObject({ code: 0 })
  await kubectl(['wait', '--for=condition=Ready', 'pod/one', 'pod/two', 'pod/plain', '--timeout=60s'])
  await kubectl(['wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod/over', '--timeout=60s'])
}, 600_000)

afterAll(async () => {
  if (obstacle) return
  cluster.child.kill('SIGTERM')
  await cluster.ended
  // The end of the cluster leaves nothing, also no command of a client.
  expect([world.processes(), world.files()]).toEqual([[], []])
  world.end()
})

beforeEach((context) => {
  if (obstacle) context.skip(obstacle)
})

type Result = { readonly code: number; readonly stdout: Buffer; readonly stderr: string }

/** Runs kubectl to its end. It may fail. */
function kubectl(args: readonly string[], input: string | Buffer = ''): Promise<Result> {
  return new Promise((resolve) => {
    const options = { env: environment, timeout: 60_000, encoding: 'buffer', maxBuffer: 1 << 30, cwd: own } as const
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), stdout, stderr: stderr.toString() })
    })
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}

const shell = (script: string, ...options: readonly string[]) =>
  kubectl(['exec', 'one', ...options, '--', 'sh', '-c', script])
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const running = (words: string) => world.processes().filter((line) => line.includes(words) && !line.includes('exec'))

test('the exit code of the command is the exit code of kubectl', async () => {
  expect(await shell('exit 3')).toMatchObject({ code: 3, stderr: 'command terminated with exit code 3\n' })
  expect(await shell('true')).toMatchObject({ code: 0, stderr: '' })
})

test('standard output and standard error stay apart', async () => {
  const { stdout, stderr, code } = await shell('echo out; echo err >&2')
  expect([stdout.toString(), stderr, code]).toEqual(['out\n', 'err\n', 0])
})

test('12 MB pass through the command and back unchanged', async () => {
  const bytes = randomBytes(12_000_000)
  const { stdout, code } = await kubectl(['exec', '-i', 'one', '--', 'cat'], bytes)
  expect([hashOf(stdout), code]).toEqual([hashOf(bytes), 0])
  const counted = await kubectl(['exec', '-i', 'one', '--', 'sha256sum'], bytes)
  expect(counted.stdout.toString()).toContain(hashOf(bytes))
})

test('kubectl chooses the container by the annotation, or else the first one', async () => {
  const which = ['--', 'sh', '-c', 'echo $DAYFLY_ROOT']
  expect((await kubectl(['exec', 'two', ...which])).stdout.toString()).toContain('/second.0/')
  expect((await kubectl(['exec', 'two', '-c', 'first', ...which])).stdout.toString()).toContain('/first.0/')
  expect((await kubectl(['exec', 'plain', ...which])).stdout.toString()).toContain('/first.0/')
})

test.each([
  [['exec', 'none', '--', 'true'], 'Error from server (NotFound): pods "none" not found'],
  [['exec', 'one', '-c', 'x', '--', 'true'], 'Error from server (BadRequest): container x is not valid for pod one'],
  [['exec', 'over', '--', 'true'], 'cannot exec into a container in a completed pod; current phase is Succeeded'],
  [['exec', 'one', '--', 'nosuch'], 'exec: "nosuch": executable file not found in $PATH'],
])('kubectl %j fails with: %s', async (args, message) => {
  const { code, stderr } = await kubectl(args)
  expect([code, stderr]).toEqual([1, expect.stringContaining(message)])
})

test('files and folders are copied in both directions', async () => {
  mkdirSync(path.join(own, 'folder/deep'), { recursive: true })
  const bytes = randomBytes(3_000_000)
  writeFileSync(path.join(own, 'folder/deep/file'), bytes)
  writeFileSync(path.join(own, 'folder/empty'), '')
  expect(await kubectl(['cp', 'folder', 'one:there'])).toMatchObject({ code: 0, stderr: '' })
  expect((await shell('sha256sum there/deep/file')).stdout.toString()).toContain(hashOf(bytes))
  expect(await kubectl(['cp', 'one:there', 'back'])).toMatchObject({ code: 0, stderr: '' })
  expect(hashOf(readFileSync(path.join(own, 'back/deep/file')))).toBe(hashOf(bytes))
  expect(readdirSync(path.join(own, 'back')).sort()).toEqual(['deep', 'empty'])
  // kubectl ends when the remote tar's empty archive ends, and may not print its error any more.
  await kubectl(['cp', 'one:nothing', 'lost'])
  expect(readdirSync(own)).not.toContain('lost')
})

test.each([
  ['reads nothing', 'exec sleep 4242'],
  ['prints', 'exec yes 4242'],
])('the kill of kubectl ends a command that %s, also in the middle of its input', async (_, script) => {
  const client = spawn(program, ['exec', '-i', 'one', '--', 'sh', '-c', script], { env: environment })
  client.stdin.on('error', () => {})
  client.stdin.write(Buffer.alloc(32 * 1024 * 1024))
  await until('it runs', 30_000, () => running('4242').length === 1)
  client.kill('SIGKILL')
  await until('it has ended', 30_000, () => running('4242').length === 0)
})

test('the end of the pod ends the command, and kubectl says so', async () => {
  expect(await kubectl(['create', '-f', '-'], JSON.stringify(podOf('short', [containerOf('main', forever)])))).toEqual(
    expect.objectContaining({ code: 0 }),
  )
  await kubectl(['wait', '--for=condition=Ready', 'pod/short', '--timeout=60s'])
  const client = kubectl(['exec', 'short', '--', 'sleep', '4343'])
  await until('it runs', 30_000, () => running('4343').length === 1)
  await kubectl(['delete', 'pod', 'short'])
  expect(await client).toMatchObject({ code: 137 })
  expect(running('4343')).toEqual([])
})
