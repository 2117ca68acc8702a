// Tests a real Docker Engine beside the runner on a real node. The job builds an image and runs containers of it.
import { podLine } from '@dayfly/cluster/pod-stage.fixture'
import { runnerSets } from '@dayfly/controller/resources'
import { listAt, textAt } from '@dayfly/kit/read-json'
import { workFolder } from '@dayfly/runner-set/core/docker-sidecar'
import { beforeAll, describe, expect, it } from 'vitest'
import { engineImage } from '../../../scripts/node/engine.ts'
import { clock } from '../client-place.ts'
import { dockerStep } from './docker-step.ts'
import { dockerRunnerImage, importDocker, runnerImage, whyNoEngine } from './images.ts'
import { conditionOf, installed, ready, runnerSet } from './installation.ts'
import { leftoversIn, none } from './leftovers.ts'
import { nodeKubeconfig, settle, whyNoNode } from './open-node.ts'
import { watchPods } from './pod-watch.ts'
import { queue } from './workload.ts'

const file = nodeKubeconfig
if (file) describe('on a real node', () => suite(file))
else describe('on a real node', () => it('Docker beside the runner', (context) => context.skip(whyNoNode)))

const runner = { name: 'runner', image: runnerImage }
const docker = { name: 'docker', image: 'docker:27-dind', securityContext: { privileged: true } }
const zombie = { template: { spec: { containers: [runner, docker] } } }

/** The user of the small runner has a group of its own, which may use the socket. */
const group = { name: 'DOCKER_GROUP_GID', value: '1001' }
const realRunner = { name: 'runner', image: dockerRunnerImage }
const engine = { name: 'docker', image: engineImage, env: [group] }
/** No image of the test comes from a registry: the engine only has to accept the flags. */
const dockerEngine = {
  mirror: 'https://mirror.test',
  insecureRegistries: ['registry.test:5000'],
  storage: { size: '5Gi' },
}
const ownEngine = (docker: 'sidecar' | 'rootless') => {
  return { docker, dockerEngine, template: { spec: { containers: [realRunner, engine] } } }
}

/** The root of the pod is an ordinary user of the node, and the runner may remove what root of a container has written. */
const ordinaryUser = [
  'read -r _ outside _ </proc/self/uid_map; test "$outside" -ge 65536',
  'docker run --rm --volume "$PWD:/data" step touch /data/of-root && rm -f of-root && ! test -e of-root',
]

/** The shape of old templates: both containers share the folder of the socket, and that of the work. */
const folders = [
  { name: 'run', mountPath: '/var/run' },
  { name: 'work', mountPath: workFolder },
]
const ordinary = {
  template: {
    spec: {
      terminationGracePeriodSeconds: 20,
      securityContext: { fsGroup: 1001 },
      containers: [
        { ...realRunner, volumeMounts: folders },
        {
          ...engine,
          args: ['--group=1001'],
          securityContext: { privileged: true },
          volumeMounts: folders,
        },
      ],
      volumes: [{ name: 'run' }, { name: 'work' }],
    },
  },
}

function suite(kubeconfig: string): void {
  const why = whyNoEngine()
  const stage = installed(kubeconfig, { name: 'docker', latencyMs: 150 })
  beforeAll(async () => {
    if (why === undefined) await importDocker()
  })

  /** Runs one job that uses Docker. Returns how many seconds after the end of its runner container the pod was gone. */
  async function secondsToGo(set: string, script = dockerStep(workFolder)): Promise<number> {
    const { node, forge, watched } = stage()
    const watch = watchPods(node, watched, set)
    await ready(stage(), watched, set)
    const [job = ''] = queue(forge, set, 1, script.join('\n'))
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
    await settle(
      () => leftoversIn(node, watched, watch.uids, forge, `${set}-`),
      (left) => JSON.stringify(left) === JSON.stringify(none),
    )
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

  it.concurrent('ends the pod itself if the set only warns about that template', async (context) => {
    if (why !== undefined) context.skip(why)
    const { forge, watched, createSet } = stage()
    await createSet(runnerSet(watched, 'warned', forge, { ...ordinary, templateChecks: 'warn' }))
    expect(await secondsToGo('warned')).toBeLessThan(10)
  })

  it.concurrent('is gone within 10 s of its runner with docker: sidecar', async (context) => {
    if (why !== undefined) context.skip(why)
    const { forge, watched, createSet } = stage()
    await createSet(runnerSet(watched, 'sidecar', forge, ownEngine('sidecar')))
    expect(await secondsToGo('sidecar')).toBeLessThan(10)
  })

  it.concurrent('is gone within 10 s of its runner with docker: rootless', async (context) => {
    if (why !== undefined) context.skip(why)
    const { forge, watched, createSet } = stage()
    await createSet(runnerSet(watched, 'rootless', forge, ownEngine('rootless')))
    expect(await secondsToGo('rootless', [...dockerStep(workFolder), ...ordinaryUser])).toBeLessThan(10)
  })
}
