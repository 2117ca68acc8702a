// Tests pods that do not end on a real node: each shows its cause, blocks no other runner, and is never removed without proof.
import { podLine } from '@dayfly/cluster/pod-stage.fixture'
import { runnerSets } from '@dayfly/controller/resources'
import { listAt, textAt } from '@dayfly/kit/read-json'
import { runnerPrefix } from '@dayfly/runner-set/model/runner-names'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { announceShutdown, inhibitors } from '../../../scripts/node/logind.ts'
import { pods } from '../client-place.ts'
import { runnerImage } from './images.ts'
import { installed, ready, runnerSet } from './installation.ts'
import { leftoversIn, none } from './leftovers.ts'
import { nodeKubeconfig, processesOf, settle, whyNoNode } from './open-node.ts'
import { watchPods } from './pod-watch.ts'
import { onSecondNode, openSecondNode } from './second-node.ts'
import { recordFailure } from './seen-failures.ts'
import { fates, queue } from './workload.ts'

const file = nodeKubeconfig
if (file) describe('on a real node', () => suite(file))
else describe('on a real node', () => it('stuck pods', (context) => context.skip(whyNoNode)))

const nodes = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false } as const

function suite(kubeconfig: string): void {
  const stage = installed(kubeconfig, { name: 'stuck', latencyMs: 150 })
  let second: Awaited<ReturnType<typeof openSecondNode>> | undefined
  beforeAll(async () => {
    second = await openSecondNode()
  })
  const hook = () => processesOf(/sleep 3598/)
  const endHooks = () => {
    for (const pid of hook()) process.kill(pid, 'SIGKILL')
  }
  afterAll(async () => {
    endHooks()
    await second?.lose()
    await stage()
      .node.kubernetes.delete(nodes, { name: '127.0.0.2' })
      .catch(() => {})
  })

  /** Waits until the set shows the reason. Returns the message. */
  async function shows(set: string, reason: string): Promise<string> {
    const { node, watched } = stage()
    const read = async () => {
      const found = await node.get(runnerSets, watched, set)
      return listAt(found, 'status', 'conditions').find((each) => textAt(each, 'type') === 'Degraded')
    }
    const condition = await settle(read, (degraded) => textAt(degraded, 'reason') === reason, 150_000)
    return textAt(condition, 'message') ?? ''
  }

  /** Starts a job on the second node, ends its pod, and returns what the set shows, after how many seconds. */
  async function endOnSecondNode(name: string, reason: string, end: () => Promise<unknown>) {
    const { node, forge, watched, operator, system, createSet } = stage()
    const template = { spec: { ...onSecondNode, containers: [{ name: 'runner', image: runnerImage }] } }
    await createSet(runnerSet(watched, name, forge, { scale: { max: 1 }, template }))
    const [id = ''] = queue(forge, name, 1, 'sleep 3600')
    await settle(
      async () => forge.control.job(id)?.state,
      (state) => state === 'running',
      120_000,
    )
    const endedAt = Date.now()
    await end()
    const set = await settle(
      () => node.get(runnerSets, watched, name),
      (found) => textAt(found, 'status', 'lastReason') === reason,
    )
    const seconds = (Date.now() - endedAt) / 1_000
    expect(seconds).toBeLessThan(45)
    const explained = await operator.dayfly('explain', name, '-n', watched, '--lease-namespace', system)
    expect(explained).toMatch(new RegExp(reason.replaceAll('-', ''), 'i'))
    await node.kubernetes.delete(runnerSets, { namespace: watched, name })
    return { reason, seconds, sentence: textAt(set, 'status', 'lastMessage') ?? '' }
  }

  it('a runner that kubectl drain evicts is named so within 45 s, and its node goes on after that', async () => {
    const { operator } = stage()
    const seen = await endOnSecondNode('drained', 'evicted', () =>
      operator.kubectl('drain', '127.0.0.2', '--ignore-daemonsets', '--delete-emptydir-data', '--force'),
    )
    expect(seen.sentence).toMatch(/EvictionByEvictionAPI/)
    recordFailure('kubectl drain', seen)
    await operator.kubectl('uncordon', '127.0.0.2')
  })

  it('a runner whose node shuts down is named so within 45 s, in the words of the kubelet', async () => {
    await settle(inhibitors, (text) => text.includes('kubelet'))
    try {
      const seen = await endOnSecondNode('shut-down', 'node-shutdown', () => announceShutdown(true))
      expect(seen.sentence).toContain('Pod was terminated in response to imminent node shutdown.')
      recordFailure('node shutdown', seen)
    } finally {
      // The other tests need the node.
      await announceShutdown(false)
    }
    await settle(
      () => stage().node.get(nodes, undefined, '127.0.0.2'),
      (found) => JSON.stringify(found).includes('"reason":"KubeletReady"'),
    )
  })

  it.concurrent('a pod whose hook hangs is replaced, and ends when its hook does', async () => {
    const { node, forge, watched, createSet } = stage()
    const watch = watchPods(node, watched, 'hooked')
    const hooked = {
      name: 'runner',
      image: 'localhost/busybox:1',
      command: ['/bin/sleep', '3600'],
      lifecycle: { postStart: { exec: { command: ['/bin/sleep', '3598'] } } },
    }
    const template = { spec: { containers: [hooked], terminationGracePeriodSeconds: 2 } }
    const set = await createSet(runnerSet(watched, 'hooked', forge, { scale: { max: 1 }, template }))
    const ids = queue(forge, 'hooked', 1)
    const line = () => watch.live().map((pod) => podLine(pod))
    await settle(
      async () => line(),
      (lines) => lines.some((each) => /^Pending! runner=ContainerCreating/.test(each)),
      240_000,
    )
    const [stuck] = watch.live()
    // The template is corrected while the pod is stuck.
    const body = { spec: { template: { spec: { containers: [{ name: 'runner', image: runnerImage }] } } } }
    await node.kubernetes.patch(runnerSets, { namespace: watched, name: 'hooked' }, { type: 'merge', body })
    expect(await shows('hooked', 'HookHangs')).toMatch(/postStart hook has not returned/)
    await settle(
      async () => fates(forge, ids),
      (counts) => counts['succeeded in 1 run'] === 1,
      150_000,
    )
    expect(await node.get(pods, watched, stuck?.metadata.name ?? '')).toMatchObject({
      metadata: { uid: stuck?.metadata.uid },
    })
    endHooks()
    const prefix = runnerPrefix({ name: 'hooked', uid: set.metadata.uid ?? '' })
    await settle(
      () => leftoversIn(node, watched, watch.uids, forge, prefix),
      (left) => JSON.stringify(left) === JSON.stringify(none),
    )
    await watch.close()
  })

  it.concurrent('a runner whose node is gone is shown and replaced, and goes with the Node object', async () => {
    const { node, forge, watched, createSet } = stage()
    const watch = watchPods(node, watched, 'far')
    const template = { spec: { ...onSecondNode, containers: [{ name: 'runner', image: runnerImage }] } }
    await createSet(runnerSet(watched, 'far', forge, { scale: { max: 1 }, template }))
    await ready(stage(), watched, 'far')
    // With `max: 1`, GitHub assigns the next job when it has given up the lost one: that takes it ten minutes, and here 90 s.
    forge.control.knobs({ jobLeaseS: 90 })
    const [first = ''] = queue(forge, 'far', 1, 'sleep 3600')
    await settle(
      async () => forge.control.job(first)?.state,
      (state) => state === 'running',
      120_000,
    )
    const [lost] = watch.live()
    expect(textAt(lost, 'spec', 'nodeName')).toBe('127.0.0.2')
    await second?.lose()
    const body = { spec: { template: { spec: { nodeSelector: { 'kubernetes.io/hostname': '127.0.0.1' } } } } }
    await node.kubernetes.patch(runnerSets, { namespace: watched, name: 'far' }, { type: 'merge', body })
    const silentAt = await settle(
      async () => {
        const found = await node.get(nodes, undefined, '127.0.0.2')
        return listAt(found, 'status', 'conditions').find((each) => textAt(each, 'type') === 'Ready')
      },
      (condition) => textAt(condition, 'status') === 'Unknown',
    )
    expect(await shows('far', 'NodeLost')).toMatch(/127\.0\.0\.2/)
    const shownAfter = Date.now() - Date.parse(textAt(silentAt, 'lastTransitionTime') ?? '')
    expect(shownAfter).toBeLessThan(45_000)
    const ids = queue(forge, 'far', 1)
    await settle(
      async () => fates(forge, ids),
      (counts) => counts['succeeded in 1 run'] === 1,
      150_000,
    )
    // The pod is still there, because nothing has proved that its processes have ended.
    expect(await node.get(pods, watched, lost?.metadata.name ?? '')).toMatchObject({
      metadata: { uid: lost?.metadata.uid },
    })
    await node.kubernetes.delete(nodes, { name: '127.0.0.2' })
    // Kubernetes' garbage collector waits 40 s before it removes the pods of a node that is gone.
    await settle(
      () => node.get(pods, watched, lost?.metadata.name ?? ''),
      (gone) => gone === undefined,
      120_000,
    )
    await watch.close()
  })
}
