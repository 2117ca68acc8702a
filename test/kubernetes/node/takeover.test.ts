// `dayfly takeover` on a real node: Atlassian's autoscaler and its runners go, and the one runner that has a step finishes it.
import { deployments } from '@dayfly/controller/operate/takeover/gather'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { object, type pods, secrets } from '../client-place.ts'
import { importImages } from './images.ts'
import { oldAutoscaler, oldNamespace } from './old-autoscaler.ts'
import { jobs, type Node, nodeKubeconfig, openNode, settle, whyNoNode } from './open-node.ts'
import { createOperator, type Operator } from './operator.ts'
import { type OutsideBitbucket, openBitbucket } from './outside-bitbucket.ts'

const file = nodeKubeconfig
if (file) describe('on a real node', () => suite(file))
else describe('on a real node', () => it('the takeover of an old autoscaler', (context) => context.skip(whyNoNode)))

const runnerNamespace = 'old-runners'
const bare = (uuid: string) => uuid.replace(/[{}]/g, '')

function suite(kubeconfig: string): void {
  let node: Node
  let forge: OutsideBitbucket
  let nearby: { readonly url: string; close(): Promise<void> }
  let operator: Operator
  beforeAll(async () => {
    node = await openNode(kubeconfig)
    operator = createOperator(kubeconfig)
    await importImages()
    forge = await openBitbucket(150)
    nearby = await forge.nearby()
    await node.enter(oldNamespace)
    await node.enter(runnerNamespace)
  })
  afterAll(async () => {
    await node?.close()
    await nearby?.close()
    await forge?.close()
    operator?.close()
  })

  const takeover = (...args: readonly string[]) => {
    const credential = operator.file(`BITBUCKET_ACCESS_TOKEN=${forge.token}\n`)
    const account = ['--bitbucket-workspace', nearby.url, '--bitbucket-credential-file', credential]
    return operator.dayfly('takeover', 'bitbucket-autoscaler', ...account, '--json', ...args)
  }
  const read = async (...args: readonly string[]) => JSON.parse(await takeover(...args)) as Output
  const names = async (resource: typeof pods) =>
    (await node.kubernetes.list(resource, { namespace: runnerNamespace })).items.map(({ metadata }) => metadata.name)
  const podOf = async (uuid: string) =>
    (await node.podsIn(runnerNamespace)).find(({ metadata }) => metadata.name.startsWith(`runner-${uuid}`))

  it('ends idle runners, zombies and dead registrations, and lets the busy runner finish its step', async () => {
    const { deploy, start } = oldAutoscaler(node, forge, operator, runnerNamespace)
    await deploy()
    await start('idle')
    const zombie = await start('zombie')
    const busy = await start('busy', 'busy')
    const dead = await forge.register('dead')
    const lost = object('v1', 'Secret', {
      name: `runner-oauth-credentials-${bare(dead.uuid)}`,
      namespace: runnerNamespace,
      labels: { runner_namespace: runnerNamespace },
    })
    await node.kubernetes.create(secrets, lost)
    // The runner ends well when its registration is gone, and its Docker container runs on.
    await forge.remove(`{${zombie}}`)
    await settle(
      () => node.look(runnerNamespace),
      (lines) => lines.some((line) => /docker=running.* runner=Completed\(0\)/.test(line)),
    )
    const labels = ['self.hosted', 'linux', 'busy']
    const [step = ''] = forge.control.queueSteps([
      { repository: 'app', labels, name: 'long', script: ['until test -e /tmp/finish; do sleep 1; done'] },
    ])
    await settle(
      async () => forge.control.step(step)?.state,
      (state) => state === 'IN_PROGRESS',
    )
    const busyPod = (await podOf(busy))?.metadata.uid
    expect(busyPod).toBeDefined()

    const plan = await read()
    expect(plan.steps.map(({ does }) => does)).toEqual(['stop', 'stop', 'retire', 'retire', 'retire', 'remove-job'])
    expect(plan.untouched).toEqual([])
    expect((await names(jobs)).length).toBe(3)
    const first = await read('--confirm', plan.digest)
    const kept = first.steps.filter(({ result }) => result !== 'done')
    expect(kept).toMatchObject([{ result: 'kept', sentence: expect.stringContaining(busy) }])
    expect(forge.control.step(step)?.state).toBe('IN_PROGRESS')
    expect(forge.control.runners()).toMatchObject([{ name: 'busy', status: 'DISABLED' }])
    expect(await names(jobs)).toEqual([`runner-${busy}`])
    expect(await names(secrets)).toEqual([`runner-oauth-credentials-${busy}`])
    for (const name of ['runner-controller', 'runner-controller-cleaner'])
      expect(await node.get(deployments, oldNamespace, name)).toMatchObject({ spec: { replicas: 0 } })
    await settle(
      () => node.podsIn(oldNamespace),
      (left) => left.length === 0,
    )
    await node.becomes(runnerNamespace, /^Running docker=running.* runner=running/)
    expect((await podOf(busy))?.metadata.uid).toBe(busyPod)

    const pod = (await podOf(busy))?.metadata.name ?? ''
    await operator.kubectl('exec', '-n', runnerNamespace, pod, '-c', 'runner', '--', 'touch', '/tmp/finish')
    const ended = await settle(
      async () => forge.control.step(step),
      (found) => found?.state === 'COMPLETED',
    )
    expect([ended?.result, ended?.runner?.name]).toEqual(['SUCCESSFUL', 'busy'])
    const next = await read()
    expect(next.steps.map(({ does }) => does)).toEqual(['retire'])
    expect((await read('--confirm', next.digest)).steps).toMatchObject([{ result: 'done' }])
    await node.becomes(runnerNamespace)
    expect([await names(jobs), await names(secrets), forge.control.runners()]).toEqual([[], [], []])
    expect((await read()).steps).toEqual([])
  }, 400_000)
}

type Output = {
  readonly digest: string
  readonly steps: readonly { readonly does: string; readonly sentence: string; readonly result: string | null }[]
  readonly untouched: readonly object[]
}
