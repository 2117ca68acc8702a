// Tests `dayfly controller`, the built program, as an operator meets it: its start, its endpoints, its log, outages, its end.
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { samplesOf } from '@dayfly/controller/metrics/samples.fixture'
import { runnerSetCrd } from '@dayfly/runner-set/config/crd'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runCli, until } from '../cli.ts'
import {
  accountToken,
  type ControllerProcess,
  type ControllerWorld,
  forgeToken,
  grant,
  openControllerWorld,
  runnerSet,
} from '../controller/process-world.ts'

const waitMs = 60_000
let world: ControllerWorld

const open = async () => {
  world = await openControllerWorld({ apiMs: 100, forgeMs: 150 })
  world.install()
}
const close = () => world.close()

const holder = () => {
  const lease = world.registry.get('leases.coordination.k8s.io', 'ci', 'dayfly')
  return (lease?.['spec'] as { readonly holderIdentity?: string } | undefined)?.holderIdentity
}
const runJobs = async (count: number) => {
  const ids = world.queue(count).map(({ id }) => id)
  const results = () => ids.map((id) => world.emulator.control.job(id)?.result)
  await until('the jobs end', waitMs, () => results().every((result) => result !== undefined))
  expect(results()).toEqual(ids.map(() => 'succeeded'))
}
const ready = (controller: ControllerProcess) =>
  until('it is ready', waitMs, async () => (await controller.get('/readyz')).status === 200)

describe('a running controller', () => {
  beforeEach(open)
  afterEach(close)

  test('runs jobs, serves its endpoints, prints no secret, and gives everything back at SIGTERM', {
    timeout: 120_000,
  }, async () => {
    const secrets = new Set([forgeToken, accountToken])
    const collect = setInterval(() => {
      for (const { metadata, ...secret } of world.registry.list('secrets', 'ci')) {
        if (metadata.name === 'github') continue
        for (const value of Object.values((secret['data'] ?? {}) as Record<string, string>)) {
          secrets.add(value)
          secrets.add(Buffer.from(value, 'base64').toString())
        }
      }
    }, 5)
    const controller = world.start('--log-level', 'debug')
    await controller.saw('forge-connected')
    await runJobs(8)
    const [long] = world.queue(1, 60)
    await until('the long job runs', waitMs, () => world.emulator.control.job(long?.id ?? '')?.state === 'running')
    await controller.saw('job-started', waitMs, { job: world.emulator.control.job(long?.id ?? '')?.jobId ?? '' })
    const [alive, readiness, metrics] = await Promise.all([
      controller.get('/healthz'),
      controller.get('/readyz'),
      controller.get('/metrics'),
    ])
    expect(alive).toEqual({ status: 200, text: expect.stringContaining('[+]loop ok: timers run\n') })
    expect(readiness).toEqual({ status: 200, text: expect.stringContaining('[+]forge ok: 1 of 1 sets connected\n') })
    const value = (name: string, fields: Readonly<Record<string, string>> = {}) =>
      samplesOf(metrics.text).find(
        ({ name: other, labels }) =>
          other === name && Object.entries(fields).every(([key, text]) => labels[key] === text),
      )?.value
    expect(value('dayfly_leader')).toBe(1)
    expect(value('dayfly_runners', { set: 'linux', state: 'busy' })).toBe(1)
    expect(value('dayfly_jobs_finished_total', { set: 'linux', result: 'succeeded' })).toBe(8)
    expect(value('dayfly_job_queue_seconds_count', { set: 'linux' })).toBe(9)
    expect(value('dayfly_runner_start_seconds_count', { set: 'linux' })).toBeGreaterThanOrEqual(9)
    expect(
      value('dayfly_kubernetes_requests_total', { verb: 'create', resource: 'pods', code: '201' }),
    ).toBeGreaterThan(8)
    expect(value('dayfly_forge_requests_total', { operation: 'register', code: '200' })).toBeGreaterThanOrEqual(9)
    expect(samplesOf(metrics.text).filter(({ labels }) => labels['operation'] === 'other')).toEqual([])
    expect(samplesOf(metrics.text).filter(({ labels }) => labels['resource'] === 'other')).toEqual([])
    const pods = world.registry.list('pods', 'ci').length
    const asked = Date.now()
    controller.child.kill('SIGTERM')
    expect(await controller.ended).toEqual({ code: 0, signal: null })
    expect(Date.now() - asked).toBeLessThan(20_000)
    clearInterval(collect)
    expect(holder()).toBe('')
    expect(world.registry.list('pods', 'ci').length).toBe(pods)
    expect(controller.lines().at(-1)).toMatchObject({ event: 'controller-stopped', level: 'info' })
    expect(secrets.size).toBeGreaterThan(12)
    const printed = controller.stdout() + controller.stderr() + alive.text + readiness.text + metrics.text
    for (const secret of secrets) expect(printed.includes(secret), 'a secret was printed').toBe(false)
    expect(controller.stderr()).toBe('')
  })

  test('works on with a closed stdout', { timeout: 90_000 }, async () => {
    const controller = world.start('--log-level', 'debug')
    const { address } = await controller.saw('health-listening')
    await controller.saw('forge-connected')
    controller.child.stdout?.destroy()
    await runJobs(3)
    expect((await fetch(`${address}/healthz`)).status).toBe(200)
    controller.child.kill('SIGTERM')
    expect(await controller.ended).toEqual({ code: 0, signal: null })
  })

  test('ends at once at a second signal', { timeout: 60_000 }, async () => {
    const controller = world.start()
    await controller.saw('forge-connected')
    await world.api.down()
    controller.child.kill('SIGTERM')
    await controller.saw('controller-stopping')
    controller.child.kill('SIGTERM')
    expect(await controller.ended).toEqual({ code: 143, signal: null })
  })
})

describe('a controller whose clock is half an hour ahead', () => {
  afterEach(close)

  test('starts runners that live as long as any other one', { timeout: 120_000 }, async () => {
    world = await openControllerWorld({ apiMs: 100, forgeMs: 150, behindMs: 1_800_000 })
    world.install()
    const controller = world.start()
    await controller.saw('forge-connected')
    await runJobs(3)
    expect(controller.lines().filter(({ event }) => event === 'runner-failed')).toEqual([])
    controller.child.kill('SIGTERM')
    expect((await controller.ended).code).toBe(0)
  })
})

describe('a start that cannot work', () => {
  const unread: readonly [string, string, readonly string[], string][] = [
    ['a missing kubeconfig', 'kubeconfig-missing', ['--kubeconfig', '/nowhere/kubeconfig'], '/nowhere/kubeconfig'],
    ['a name that no namespace can have', 'usage', ['--namespace', 'CI!'], '--namespace "CI!"'],
    ['an address without a port', 'usage', ['--health-address', 'localhost'], '--health-address'],
    ['an unknown option', 'usage', ['--leese-name', 'x'], '--leese-name'],
    ['a level that does not exist', 'usage', ['--log-level', 'loud'], 'loud'],
  ]
  test.each(unread)('%s ends it with exit code 2 and a next step', async (_, code, args, why) => {
    const { code: exit, stderr } = await runCli(['controller', ...args])
    expect(exit).toBe(2)
    expect(stderr).toMatch(new RegExp(`error ${code}: .*\n  next: .+\n$`))
    expect(stderr).toContain(why)
  })

  test('a refused token, missing rights, a missing kind and a taken port end it, and the log says why', async () => {
    world = await openControllerWorld()
    const ends = async (reason: string, why: string, ...args: readonly string[]) => {
      const controller = world.start(...args)
      expect((await controller.ended).code).toBe(2)
      expect(controller.stderr()).toMatch(new RegExp(`error ${reason}: .*\n  next: .+\n$`))
      const line = controller.lines().at(-1)
      expect(line).toMatchObject({ level: 'error', event: 'start-failed', reason, next: expect.any(String) })
      expect(line?.['message']).toContain(why)
    }
    const wrong = world.writeKubeconfig(path.join(world.own, 'wrong'), { token: 'wrong' })
    await ends('token-refused', 'does not accept the credential', '--kubeconfig', wrong)
    await ends('kubeconfig-invalid', 'There is no context "other"', '--context', 'other')
    await ends('forbidden', 'may not list runnersets.dayfly.dev in all namespaces')
    grant(world.registry)
    await ends('crd-missing', 'does not know the kind runnersets.dayfly.dev')
    const taken = createServer().listen(0, '127.0.0.1')
    await until('the port is taken', 5_000, () => taken.address())
    const { port } = taken.address() as { readonly port: number }
    await ends('health-address-unusable', `127.0.0.1:${port}`, '--health-address', `127.0.0.1:${port}`)
    taken.close()
  }, 120_000)
})

describe('a controller without what it needs', () => {
  beforeEach(open)
  afterEach(close)

  test('waits for an API server that is not up yet, and /readyz says so', { timeout: 90_000 }, async () => {
    await world.api.down()
    const controller = world.start()
    await controller.saw('cluster-unavailable')
    expect(await controller.get('/readyz')).toEqual({
      status: 503,
      text: expect.stringMatching(/^\[-\]api-server failed: .*ECONNREFUSED.*\nreadyz check failed\n$/),
    })
    expect((await controller.get('/healthz')).status).toBe(200)
    await world.api.up()
    await controller.saw('leadership-gained', waitMs)
    await ready(controller)
  })

  test('survives the loss of the API server, shows it, and recovers', { timeout: 180_000 }, async () => {
    const controller = world.start()
    await controller.saw('forge-connected')
    await world.api.down()
    await controller.saw('leadership-lost', waitMs, { level: 'warn' })
    expect(await controller.get('/healthz')).toMatchObject({ status: 200 })
    expect(await controller.get('/readyz')).toEqual({
      status: 503,
      text: expect.stringContaining('[-]election failed'),
    })
    expect((await controller.get('/metrics')).text).toContain('dayfly_leader 0\n')
    await world.api.up()
    await controller.saw('election-recovered', waitMs)
    await runJobs(3)
    await ready(controller)
  })

  test('survives the loss of its rights, shows it as an error, and recovers', { timeout: 180_000 }, async () => {
    const controller = world.start()
    await controller.saw('forge-connected')
    world.registry.delete('clusterrolebindings.rbac.authorization.k8s.io', undefined, 'dayfly')
    const line = await controller.saw('election-failed', waitMs)
    expect(line).toMatchObject({ level: 'error', reason: 'installation-broken' })
    expect(line['message']).toContain('cannot update resource "leases"')
    world.registry.delete('clusterroles.rbac.authorization.k8s.io', undefined, 'dayfly')
    grant(world.registry)
    await controller.saw('election-recovered', waitMs)
    await runJobs(3)
    await ready(controller)
  })

  test('survives the loss of the custom kind, shows it as an error, and recovers', { timeout: 180_000 }, async () => {
    const controller = world.start()
    await controller.saw('forge-connected')
    world.registry.delete('customresourcedefinitions.apiextensions.k8s.io', undefined, 'runnersets.dayfly.dev')
    await controller.saw('set-removed', waitMs)
    // A real API server ends the watches of a kind that is gone.
    await world.api.down()
    await world.api.up()
    const line = await controller.saw('watch-failed', waitMs, { resource: 'runnersets', level: 'error' })
    expect(line).toMatchObject({ reason: 'installation-broken' })
    expect((await controller.get('/healthz')).status).toBe(200)
    world.registry.create('customresourcedefinitions.apiextensions.k8s.io', runnerSetCrd())
    world.registry.create('runnersets.dayfly.dev', runnerSet(world.url, 20))
    await controller.saw('watch-recovered', waitMs, { resource: 'runnersets' })
    await runJobs(3)
    await ready(controller)
  })

  test('needs no restart when its token rotates', { timeout: 120_000 }, async () => {
    const file = path.join(world.own, 'token')
    writeFileSync(file, accountToken)
    const kubeconfig = world.writeKubeconfig(path.join(world.own, 'rotating'), { tokenFile: file })
    const controller = world.start('--kubeconfig', kubeconfig)
    await controller.saw('forge-connected')
    writeFileSync(file, 'the-next-token')
    world.tokens.set('the-next-token', 'system:serviceaccount:ci:dayfly')
    world.tokens.delete(accountToken)
    await runJobs(3)
    expect(controller.lines().filter(({ level }) => level === 'error' || level === 'warn')).toEqual([])
  })
})
