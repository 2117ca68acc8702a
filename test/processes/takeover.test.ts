// Tests `dayfly takeover`, as built: the old autoscaler stops, its idle runners end, its zombies go, and a step is never lost.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { runCli, until } from '../cli.ts'
import { accessToken, type BitbucketProcessWorld, worldTest } from '../controller/bitbucket/process-world.ts'

const waitMs = 60_000
const hourMs = 3_600_000
const oldNamespace = 'bitbucket-runner-control-plane'
const labels = ['linux', 'autoscaler.created']

const test = worldTest.extend<{ readonly old: ReturnType<typeof oldAutoscaler> }>({
  old: async ({ world }, use) => {
    world.registry.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: oldNamespace } })
    await use(oldAutoscaler(world))
  },
})

/** The objects of the old autoscaler in the cluster and at Bitbucket, and the command that takes over. */
function oldAutoscaler(world: BitbucketProcessWorld) {
  const takeover = async (...args: readonly string[]) => {
    const file = path.join(world.own, 'credential.env')
    writeFileSync(file, `BITBUCKET_ACCESS_TOKEN=${accessToken}\n`, { mode: 0o600 })
    const account = ['--bitbucket-workspace', world.url, '--bitbucket-credential-file', file]
    const all = ['takeover', 'bitbucket-autoscaler', ...account, '--kubeconfig', world.adminKubeconfig, ...args]
    return runCli(all, { environment: { TMPDIR: world.own } })
  }
  /** The Secret of an old runner, with the label that the official autoscaler demands. */
  const keepSecret = (uuid: string) => {
    const metadata = { name: `runner-oauth-credentials-${uuid}`, namespace: 'ci', labels: { runner_namespace: 'ci' } }
    world.registry.create('secrets', { apiVersion: 'v1', kind: 'Secret', metadata })
  }
  /** The Job and the Secret of an old runner. Its Docker container never ends. */
  const runJob = (uuid: string, script: string) => {
    const containers = [sleeping('runner', script), sleeping('docker')]
    const pod = { metadata: { labels: { runner_uuid: uuid } }, spec: { restartPolicy: 'OnFailure', containers } }
    const metadata = { name: `runner-${uuid}`, namespace: 'ci' }
    world.registry.create('jobs.batch', { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { template: pod } })
    keepSecret(uuid)
  }
  return {
    takeover,
    keepSecret,
    runJob,
    /** A Deployment of the old autoscaler. */
    deploy: (name: string) => {
      const template = { metadata: { labels: { app: name } }, spec: { containers: [sleeping('main')] } }
      const spec = { replicas: 1, selector: { matchLabels: { app: name } }, template }
      const metadata = { name, namespace: oldNamespace }
      world.registry.create('deployments.apps', { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec })
    },
    oldRunner: async (name: string, ...more: readonly string[]) => {
      const uuid = await world.plant(name, 2 * hourMs, [...labels, ...more])
      world.emulator.control.stub.online(uuid)
      runJob(uuid, 'sleep 600')
      return uuid
    },
    names: (resource: string, namespace: string) =>
      world.registry.list(resource, namespace).map(({ metadata }) => metadata.name),
    runners: () => world.emulator.control.runners().map(({ uuid, status }) => `${uuid} ${status}`),
  }
}

function sleeping(name: string, script = 'sleep 600') {
  return { name, image: 'any', command: ['/bin/sh', '-c', script] }
}

test.concurrent('stops the autoscaler, ends idle runners and zombies, and lets a busy runner finish', async ({
  world,
  old: { deploy, names, oldRunner, runJob, runners, takeover },
}) => {
  deploy('runner-controller')
  deploy('runner-controller-cleaner')
  const idle = await oldRunner('group')
  const busy = await oldRunner('group', 'busy')
  const foreign = await world.plant('made-by-hand', 2 * hourMs)
  const zombie = '11111111-2222-4333-8444-555555555555'
  runJob(zombie, 'exit 0')
  const young = '66666666-2222-4333-8444-555555555555'
  runJob(young, 'sleep 600')
  const step = world.queue('busy')
  await until('the step runs', waitMs, () => world.emulator.control.step(step)?.state === 'IN_PROGRESS')
  await until('the zombie is one', waitMs, () =>
    JSON.stringify(world.registry.list('pods', 'ci')).includes('"exitCode":0'),
  )
  const plan = JSON.parse((await takeover('--json')).stdout)
  expect(plan.steps.map(({ does }: { readonly does: string }) => does)).toEqual([
    'stop',
    'stop',
    'retire',
    'retire',
    'remove-job',
  ])
  expect(plan.steps[0].sentence).toContain('runner-controller-cleaner')
  expect(plan.untouched).toEqual([
    { what: `Job ci/runner-${young}`, because: expect.stringContaining('has not ended') },
  ])
  const wrong = await takeover('--confirm', '0000000000000000')
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('plan-changed')])
  expect(runners()).toContain(`${idle} ONLINE`)

  const first = await takeover('--confirm', plan.digest)
  expect(first.stderr).toContain('4 of 5 steps done')
  expect(first.stderr).toContain('it has a step')
  expect(first.code).toBe(1)
  expect(runners().sort()).toEqual([`${busy} DISABLED`, `${foreign} UNREGISTERED`].sort())
  expect(names('jobs.batch', 'ci').sort()).toEqual([`runner-${busy}`, `runner-${young}`].sort())
  expect(names('secrets', 'ci')).not.toContain(`runner-oauth-credentials-${idle}`)
  expect(names('pods', oldNamespace)).toEqual([])
  expect(world.emulator.control.step(step)?.state).toBe('IN_PROGRESS')

  world.emulator.control.stub.finish(busy, 'SUCCESSFUL')
  const next = JSON.parse((await takeover('--json')).stdout)
  expect(next.steps).toMatchObject([{ does: 'retire' }])
  const last = await takeover('--confirm', next.digest)
  expect(last.stderr).toContain('1 of 1 steps done')
  expect(runners()).toEqual([`${foreign} UNREGISTERED`])
  expect(world.emulator.control.step(step)?.result).toBe('SUCCESSFUL')
  expect(last.stdout + last.stderr + first.stderr).not.toContain(accessToken)
}, 400_000)

test.concurrent('K13 deletes the Secret of a runner whose Job is gone, also if Bitbucket no longer lists it', async ({
  world,
  old: { keepSecret, names, takeover },
}) => {
  const idle = await world.plant('group', 2 * hourMs, labels)
  keepSecret(idle)
  const lost = '11111111-2222-4333-8444-555555555555'
  keepSecret(lost)
  const plan = JSON.parse((await takeover('--json')).stdout)
  expect(plan.steps).toMatchObject([{ does: 'retire' }, { does: 'remove-secret' }])
  const done = await takeover('--confirm', plan.digest)
  expect([done.code, done.stderr]).toEqual([0, expect.stringContaining('2 of 2 steps done')])
  expect(names('secrets', 'ci').filter((name) => name.startsWith('runner-oauth'))).toEqual([])
  expect((await takeover()).stdout).toContain('nothing of it is left')
}, 200_000)

test.concurrent('retires no runner while the old autoscaler cannot be stopped', async ({
  world,
  old: { deploy, oldRunner, runners, takeover },
}) => {
  deploy('runner-controller')
  const idle = await oldRunner('group')
  const { digest } = JSON.parse((await takeover('--json')).stdout)
  // A finalizer keeps the pod of the autoscaler, so that it still counts.
  const [pod] = world.registry.list('pods', oldNamespace)
  if (!pod) throw new Error('the autoscaler has no pod')
  world.registry.update('pods', { ...pod, metadata: { ...pod.metadata, finalizers: ['acme.com/keep'] } })
  const done = await takeover('--confirm', digest)
  expect([done.code, done.stderr]).toEqual([1, expect.stringContaining('0 of 2 steps done')])
  expect(done.stderr).toContain('the old autoscaler has not stopped')
  expect(runners()).toEqual([`${idle} ONLINE`])
}, 200_000)

test.concurrent('says that nothing is left, and what is missing', async ({ world, old: { takeover } }) => {
  const { code, stdout } = await takeover()
  expect([code, stdout]).toEqual([0, expect.stringContaining('nothing of it is left')])
  const without = await runCli(['takeover', 'bitbucket-autoscaler', '--kubeconfig', world.adminKubeconfig], {})
  expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('--bitbucket-workspace')])
}, 60_000)
