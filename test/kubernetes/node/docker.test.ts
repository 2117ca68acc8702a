// Tests Docker beside the runner on a real node. A stand-in takes the place of the engine: it answers `docker info` and handles SIGTERM.
import { describe, expect, it } from 'vitest'
import { runnerSets } from '../../../src/controller/resources.ts'
import { listAt, textAt } from '../../../src/lib/read-json.ts'
import { podLine } from '../../pod-stage.ts'
import { clock } from '../client-place.ts'
import { runnerImage } from './images.ts'
import { conditionOf, installed, ready, runnerSet } from './installation.ts'
import { nodeKubeconfig, settle, whyNoNode } from './open-node.ts'
import { watchPods } from './pod-watch.ts'
import { queue } from './workload.ts'

const file = nodeKubeconfig
if (file) describe('on a real node', () => suite(file))
else describe('on a real node', () => it('Docker beside the runner', (context) => context.skip(whyNoNode)))

const runner = { name: 'runner', image: runnerImage }
const docker = { name: 'docker', image: 'docker:27-dind', securityContext: { privileged: true } }
const zombie = { template: { spec: { containers: [runner, docker], terminationGracePeriodSeconds: 5 } } }

function suite(kubeconfig: string): void {
  const stage = installed(kubeconfig, { name: 'docker', latencyMs: 150 })

  /** Runs one job. Returns how many seconds after the end of its runner container the pod was gone. */
  async function secondsToGo(set: string): Promise<number> {
    const { node, forge, watched } = stage()
    const watch = watchPods(node, watched, set)
    await ready(stage(), watched, set)
    const [job = ''] = queue(forge, set, 1, 'sleep 3')
    const seen = new Set<string>()
    const look = async () => {
      const pods = watch.live()
      for (const pod of pods) seen.add(podLine(pod))
      return pods
    }
    const ended = await settle(
      look,
      ([pod]) => / runner=Completed\(0\)/.test(podLine(pod ?? { metadata: {} })),
      120_000,
    )
    const status = listAt(ended[0], 'status', 'containerStatuses').find((each) => textAt(each, 'name') === 'runner')
    const endedAt = Date.parse(textAt(status, 'state', 'terminated', 'finishedAt') ?? '')
    await settle(look, (pods) => pods.length === 0)
    const seconds = (clock.now() - endedAt) / 1_000
    await watch.close()
    expect(forge.control.job(job)?.result).toBe('succeeded')
    expect([...seen].join('\n')).toMatch(/docker=running/)
    return seconds
  }

  it('refuses a template with Docker as an ordinary container', async () => {
    const { node, forge, watched, createSet } = stage()
    await createSet(runnerSet(watched, 'refused', forge, zombie))
    const set = await settle(
      () => node.get(runnerSets, watched, 'refused'),
      (found) => conditionOf(found, 'TemplateAccepted')?.startsWith('False') ?? false,
    )
    expect(textAt(set, 'status', 'lastMessage')).toMatch(/docker/i)
    expect(conditionOf(set, 'Ready')).toMatch(/^False/)
  })

  it.concurrent('ends the pod itself if the set only warns about that template', async () => {
    const { forge, watched, createSet } = stage()
    await createSet(runnerSet(watched, 'warned', forge, { ...zombie, templateChecks: 'warn' }))
    expect(await secondsToGo('warned')).toBeLessThan(10)
  })

  it.concurrent('is gone within 10 s of its runner with docker: sidecar', async () => {
    const { forge, watched, createSet } = stage()
    await createSet(runnerSet(watched, 'sidecar', forge, { docker: 'sidecar' }))
    expect(await secondsToGo('sidecar')).toBeLessThan(10)
  })
}
