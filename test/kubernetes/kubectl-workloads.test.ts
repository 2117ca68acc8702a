// Tests CronJobs, StatefulSets and DaemonSets of `dayfly cluster` with an unmodified kubectl, and with real processes in the pods.
import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Cli, createWorld, until, type World } from '../cli.ts'
import { findKubectl } from './kubectl.ts'

const execute = promisify(execFile)

let obstacle: string | undefined
let program: string
let world: World
let cluster: Cli
let environment: NodeJS.ProcessEnv

const container = { name: 'main', image: 'busybox', command: ['sh', '-c', 'exec sleep 1000'] }
const selector = { matchLabels: { app: 'a' } }
const template = {
  metadata: { labels: { app: 'a' } },
  spec: { terminationGracePeriodSeconds: 1, containers: [container] },
}

beforeAll(async () => {
  const found = await findKubectl()
  if (found.is === 'missing') obstacle = found.why
  if (found.is === 'missing') return
  program = found.program
  world = createWorld()
  mkdirSync(path.join(world.directory, 'own'))
  cluster = world.start('cluster', '--json')
  const line = await until('the cluster prints its address', 30_000, () => /^\{.*\}$/m.exec(cluster.stdout())?.[0])
  const home = path.join(world.directory, 'own')
  environment = { ...process.env, KUBECONFIG: JSON.parse(line).kubeconfig, HOME: home }
}, 600_000)

afterAll(async () => {
  if (obstacle) return
  cluster.child.kill('SIGTERM')
  await cluster.ended
  expect([world.processes(), world.files()]).toEqual([[], []])
  world.end()
})

beforeEach((context) => {
  if (obstacle) context.skip(obstacle)
})

/** Runs kubectl, which must succeed, and resolves with its output. */
async function kubectl(args: string, input?: object): Promise<string> {
  const running = execute(program, args.split(' '), { env: environment, timeout: 60_000 })
  running.child.stdin?.end(input === undefined ? '' : JSON.stringify(input))
  return (await running).stdout
}

/** Returns the rows of a table below its head, split at two or more spaces. */
async function rows(args: string): Promise<readonly (readonly string[])[]> {
  const [, ...lines] = (await kubectl(`get ${args}`)).trim().split('\n')
  return lines.map((line) => line.split(/ {2,}/).map((cell) => cell.trim()))
}

const age = expect.stringMatching(/^\d+m?s?$/)

test('a StatefulSet rolls out, shows its history, goes back, and scales', async () => {
  const spec = { replicas: 2, serviceName: 'web', selector, template }
  await kubectl('create -f -', { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'web' }, spec })
  expect(await kubectl('rollout status sts/web --timeout=30s')).toContain('roll out complete: 2 new pods')
  expect(await rows('sts')).toEqual([['web', '2/2', age]])
  await kubectl('set env sts/web COLOUR=blue')
  await kubectl('rollout status sts/web --timeout=60s')
  expect(await kubectl('rollout history sts/web --revision=2')).toContain('COLOUR:\tblue')
  expect(await rows('controllerrevisions')).toEqual(
    expect.arrayContaining([[expect.stringMatching(/^web-/), 'statefulset.apps/web', '2', age]]),
  )
  expect(await kubectl('rollout undo sts/web')).toContain('rolled back')
  await kubectl('rollout status sts/web --timeout=60s')
  expect(await kubectl('get pod web-0 -o jsonpath={.spec.containers[0].env}')).toBe('')
  await kubectl('scale sts/web --replicas=1')
  await kubectl('wait --for=delete pod/web-1 --timeout=30s')
  expect(await kubectl('get pods -l app=a -o name')).toBe('pod/web-0\n')
  expect(await kubectl('describe sts web')).toMatch(
    /SuccessfulDelete .* Delete Pod web-1 in StatefulSet web successful/,
  )
  await kubectl('delete sts web --cascade=foreground --timeout=30s')
  expect(await kubectl('get pods,controllerrevisions -o name')).toBe('')
})

test('a DaemonSet rolls out, restarts, and stays on a node that is drained', async () => {
  const spec = { selector, template }
  await kubectl('create -f -', { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'agent' }, spec })
  expect(await kubectl('rollout status ds/agent --timeout=30s')).toContain('successfully rolled out')
  expect(await rows('ds')).toEqual([['agent', '1', '1', '1', '1', '1', '<none>', age]])
  const before = await kubectl('get pods -l app=a -o name')
  await kubectl('rollout restart ds/agent')
  await kubectl('rollout status ds/agent --timeout=60s')
  const after = await kubectl('get pods -l app=a -o name')
  expect(after).not.toBe(before)
  expect(await kubectl('drain dayfly --ignore-daemonsets --force --timeout=30s')).toContain('node/dayfly drained')
  await kubectl(`delete ${after.trim()} --timeout=30s`)
  await kubectl('rollout status ds/agent --timeout=30s')
  expect(await kubectl('get pods -l app=a -o name')).toMatch(/^pod\/agent-/)
  await kubectl('uncordon dayfly')
  await kubectl('delete ds agent --cascade=foreground --timeout=30s')
})

test('a CronJob starts Jobs by its schedule and by hand, and a schedule that is wrong is refused', async () => {
  const spec = { template: { spec: { restartPolicy: 'Never', containers: [{ ...container, command: ['true'] }] } } }
  const cronJob = (schedule: string) => ({
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'tick' },
    spec: { schedule, timeZone: 'Europe/Berlin', jobTemplate: { spec } },
  })
  const why = 'spec.schedule: Invalid value: "0 25 * * *": end of range (25) above maximum (23): 25'
  await expect(kubectl('create -f -', cronJob('0 25 * * *'))).rejects.toThrow(why)
  await kubectl('create -f -', cronJob('@every 2s'))
  await until('the schedule starts a Job', 30_000, async () =>
    (await kubectl('get jobs -o name')).includes('job.batch/tick-'),
  )
  expect(await rows('cj')).toEqual([['tick', '@every 2s', 'Europe/Berlin', 'False', expect.any(String), age, age]])
  await kubectl('create job --from=cronjob/tick now')
  await kubectl('wait --for=condition=Complete job/now --timeout=30s')
  await kubectl('patch cronjob tick -p {"spec":{"suspend":true}}')
  expect((await rows('cj'))[0]?.[3]).toBe('True')
  expect(await kubectl('describe cronjob tick')).toMatch(/SuccessfulCreate .* Created job tick-\d+/)
  await kubectl('delete cronjob tick --cascade=foreground --timeout=30s')
  expect(await kubectl('get jobs,pods -o name')).toBe('')
})
