// Tests an installation by the chart on a real node: the controller runs as a pod under its own Role, and runners are real pods.
import { describe, expect, it } from 'vitest'
import { runnerPrefix } from '../../../src/core/pod.ts'
import { installed, ready, runnerSet } from './installation.ts'
import { leftoversIn, none } from './leftovers.ts'
import { nodeKubeconfig, processesOf, settle, whyNoNode } from './open-node.ts'
import { watchPods } from './pod-watch.ts'
import { fates, jobsOf, queue } from './workload.ts'

const file = nodeKubeconfig
if (file) describe('on a real node', () => suite(file))
else describe('on a real node', () => it('an installation by the chart', (context) => context.skip(whyNoNode)))

const shims = () => processesOf(/containerd-shim-runc-v2/).length
const minutes = (count: number) => count * 60_000

function suite(kubeconfig: string): void {
  const stage = installed(kubeconfig, { name: 'install', latencyMs: 150 })

  it('runs 200 jobs in pods of their own and leaves nothing', async () => {
    const { node, forge, watched, createSet } = stage()
    const watch = watchPods(node, watched)
    const set = await createSet(runnerSet(watched, 'linux', forge, { scale: { max: 40 } }))
    await ready(stage(), watched, 'linux')
    const before = shims()
    const ids = queue(forge, 'linux', 200)
    await settle(
      async () => fates(forge, ids),
      (counts) => counts['succeeded in 1 run'] === 200,
      minutes(8),
    )
    const places = jobsOf(forge, ids).map(({ log }) => log.lines.find((line) => line.includes('linux-')))
    expect(new Set(places).size).toBe(200)
    const prefix = runnerPrefix({ name: 'linux', uid: set.metadata.uid ?? '' })
    await settle(
      () => leftoversIn(node, watched, watch.uids, forge, prefix),
      (left) => JSON.stringify(left) === JSON.stringify(none),
    )
    await settle(
      async () => shims(),
      (count) => count === before,
    )
    await watch.close()
    expect(watch.uids.size).toBe(200)
  })
}
