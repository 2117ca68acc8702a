// Tests an installation by the chart on a real node: the controller runs as a pod under its own Role, and runners are real pods.
import { runnerSets } from '@dayfly/controller/resources'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { runnerPrefix } from '@dayfly/runner-set/model/runner-names'
import { beforeAll, describe, expect, it } from 'vitest'
import { configMaps, object } from '../client-place.ts'
import { runnerImage } from './images.ts'
import { installed, ready, runnerSet } from './installation.ts'
import { leftoversIn, none, orphanShims, processesInGroups } from './leftovers.ts'
import { nodeKubeconfig, settle, whyNoNode } from './open-node.ts'
import { type PodWatch, watchPods } from './pod-watch.ts'
import { loseLease, rightsInUse } from './rights-in-use.ts'
import { fates, jobsOf, queue } from './workload.ts'

const file = nodeKubeconfig
if (file) describe('on a real node', () => suite(file))
else describe('on a real node', () => it('an installation by the chart', (context) => context.skip(whyNoNode)))

const minutes = (count: number) => count * 60_000

function suite(kubeconfig: string): void {
  const stage = installed(kubeconfig, { name: 'install', latencyMs: 150 })

  /** Waits until nothing of the set's runners is left. */
  async function leavesNothing(set: KubeObject, watch: PodWatch): Promise<void> {
    const { node, forge, watched } = stage()
    const prefix = runnerPrefix({ name: set.metadata.name, uid: set.metadata.uid ?? '' })
    await settle(
      () => leftoversIn(node, watched, watch.uids, forge, prefix),
      (left) => JSON.stringify(left) === JSON.stringify(none),
    )
  }

  /** Waits until every job has succeeded in its only run. */
  async function succeed(ids: readonly string[], ms: number): Promise<void> {
    await settle(
      async () => fates(stage().forge, ids),
      (counts) => counts['succeeded in 1 run'] === ids.length,
      ms,
    )
  }

  // These sets make the controller use each of its rights while the jobs of the other tests run.
  beforeAll(async () => {
    const { node, forge, watched, createSet } = stage()
    const failing = { name: 'prepare', image: 'localhost/busybox:1', command: ['/bin/false'] }
    const volumes = [{ name: 'data', configMap: { name: 'absent' } }]
    await createSet(runnerSet(watched, 'failing', forge, {}, { initContainers: [failing] }))
    const mounting = { name: 'runner', image: runnerImage, volumeMounts: [{ name: 'data', mountPath: '/data' }] }
    await createSet(runnerSet(watched, 'unmounted', forge, {}, { containers: [mounting], volumes }))
    const data = { 'ca.crt': '' }
    await node.kubernetes.create(configMaps, object('v1', 'ConfigMap', { name: 'ca', namespace: watched }, { data }))
    const github = { url: forge.url, plainHttp: true, credentials: { secret: 'github' }, ca: { configMap: 'ca' } }
    await createSet(runnerSet(watched, 'trusting', forge, { github }))
    await createSet(runnerSet(watched, 'sized', forge, { sizes: [{ name: 'small' }, { name: 'large' }] }))
    for (const set of ['failing', 'unmounted']) queue(forge, set, 1)
  })

  it('runs 200 jobs in pods of their own and leaves nothing', { timeout: minutes(15) }, async () => {
    const { node, forge, watched, createSet } = stage()
    const watch = watchPods(node, watched, 'linux')
    const set = await createSet(runnerSet(watched, 'linux', forge, { scale: { max: 40 } }))
    await ready(stage(), watched, 'linux')
    const ids = queue(forge, 'linux', 200)
    await succeed(ids, minutes(10))
    const places = jobsOf(forge, ids).map(({ log }) => log.lines.find((line) => line.includes('linux-')))
    expect(new Set(places).size).toBe(200)
    await leavesNothing(set, watch)
    await watch.close()
    expect(watch.uids.size).toBe(200)
  })

  it('loses no job and runs none twice if the leader is killed under load', { timeout: minutes(12) }, async () => {
    const { node, forge, watched, createSet, leader, controllers } = stage()
    const watch = watchPods(node, watched, 'led')
    const set = await createSet(runnerSet(watched, 'led', forge, { scale: { max: 10 } }))
    await ready(stage(), watched, 'led')
    const ids = queue(forge, 'led', 60, 'hostname; sleep 2')
    const done = async () => jobsOf(forge, ids).filter(({ state }) => state === 'completed').length
    await settle(done, (count) => count >= 10, minutes(3))
    const first = await leader()
    const uid = (await controllers()).find(({ metadata }) => metadata.name === first?.pod)?.metadata.uid ?? 'none'
    const killed = processesInGroups((groups) => groups.includes(uid)).filter(({ command }) => /dayfly/.test(command))
    expect(killed).toHaveLength(1)
    for (const { pid } of killed) process.kill(pid, 'SIGKILL')
    expect(await done()).toBeLessThan(60)
    await settle(leader, (next) => next !== undefined && next.identity !== first?.identity, 40_000)
    await succeed(ids, minutes(5))
    await leavesNothing(set, watch)
    await watch.close()
  })

  it('makes a RunnerSet for each size, and deletes that of a size that is taken away', async () => {
    const { node, watched } = stage()
    const names = async () => {
      const { items } = await node.kubernetes.list(runnerSets, { namespace: watched })
      return items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('sized'))
    }
    await settle(names, (found) => found.length === 3, minutes(1))
    const body = { spec: { sizes: [{ name: 'small' }] } }
    await node.kubernetes.patch(runnerSets, { namespace: watched, name: 'sized' }, { type: 'merge', body })
    await settle(names, (found) => found.join() === 'sized,sized-small', minutes(2))
  })

  it('uses each right of its Role and asks for no other', async () => {
    await loseLease(stage())
    // A server that streams lists in a watch is asked for no other one. The lists of sets and pods also prove the rights at the start.
    const unused = ['list resourcequotas']
    await settle(
      () => rightsInUse(stage()),
      (found) => found.unused.length === unused.length,
      minutes(3),
    )
    expect(await rightsInUse(stage())).toEqual({ denied: [], unused })
  })

  it('leaves no shim of a container whose pod is gone', async () => {
    const { node, operator, system, watched } = stage()
    await operator.kubectl('delete', 'runnersets', '--all', '-n', watched, '--wait')
    await operator.helm('uninstall', 'dayfly', '-n', system, '--wait', '--timeout', '60s')
    await settle(
      () => node.podsIn(watched),
      (left) => left.length === 0,
      90_000,
    )
    await settle(
      () => orphanShims(node),
      (left) => left.length === 0,
    )
  })
}
