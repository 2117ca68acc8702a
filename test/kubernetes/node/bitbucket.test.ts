// Bitbucket on a real node with a real Docker Engine: the official job template leaves a pod behind, and the RunnerSet that is made of it does not.
// Each step builds an image and runs containers of it.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { runnerSets } from '@dayfly/controller/resources'
import { listAt, textAt, valueAt } from '@dayfly/kit/read-json'
import { workFolder } from '@dayfly/runner-set/core/docker-sidecar'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { engineImage } from '../../../scripts/node/engine.ts'
import { clock, object, secrets } from '../client-place.ts'
import { dockerStep } from './docker-step.ts'
import { dockerRunnerImage, importDocker, whyNoEngine } from './images.ts'
import { installed, ready } from './installation.ts'
import { officialTemplate, rendered } from './official-template.ts'
import { jobs, nodeKubeconfig, processesOf, settle, whyNoNode } from './open-node.ts'
import { atForge, type OutsideBitbucket, openBitbucket } from './outside-bitbucket.ts'
import { watchPods } from './pod-watch.ts'

const file = nodeKubeconfig
if (file) describe('on a real node', () => suite(file))
else describe('on a real node', () => it('Bitbucket', (context) => context.skip(whyNoNode)))

const configuration = (namespace: string) => `groups:
  - name: linux
    workspace: acme
    labels: [docker]
    namespace: ${namespace}
    strategy: percentageRunnersIdle
    parameters: { min: 1, max: 4, scale_up_threshold: 0.5, scale_down_threshold: 0.2, scale_up_multiplier: 1.5, scale_down_multiplier: 0.5 }
    resources: { requests: { memory: 64Mi, cpu: 10m }, limits: { memory: 256Mi, cpu: 500m } }
`

/** @param folder the runner and the engine share it at this path */
function queueSteps(forge: OutsideBitbucket, count: number, folder: string): readonly string[] {
  const labels = ['self.hosted', 'linux', 'docker']
  return forge.control.queueSteps(
    Array.from({ length: count }, (_, index) => ({
      repository: 'app',
      labels,
      name: `step ${index}`,
      script: [...dockerStep(folder)],
    })),
  )
}

function suite(kubeconfig: string): void {
  const why = whyNoEngine()
  const stage = installed(kubeconfig, { name: 'bitbucket', latencyMs: 150, values: { rbac: { runnerLogs: true } } })
  let forge: OutsideBitbucket
  beforeAll(async () => {
    forge = await openBitbucket(150)
    if (why === undefined) await importDocker()
  })
  afterAll(() => forge?.close())

  const template = () => officialTemplate({ origin: forge.origin, runner: dockerRunnerImage, docker: engineImage })

  it('keeps the pod of an official job as long as its Docker container runs', async (context) => {
    if (why !== undefined) context.skip(why)
    const { node, operator, watched } = stage()
    const { uuid, env } = await forge.register('official')
    await operator.kubectl('apply', '-n', watched, '-f', operator.file(rendered(template(), watched, env)))
    const runner = () => forge.control.runners().find(({ name }) => name === 'official')
    await settle(
      async () => runner()?.status,
      (status) => status === 'ONLINE',
    )
    const [step = ''] = queueSteps(forge, 1, '/tmp')
    const ended = await settle(
      async () => forge.control.step(step),
      (found) => found?.state === 'COMPLETED',
    )
    expect(ended?.result, ended?.log.lines.join('\n')).toBe('SUCCESSFUL')
    expect(ended?.runner?.name).toBe('official')
    await forge.remove(uuid)
    const zombie = /^Running .*docker=running.* runner=Completed\(0\)/
    await settle(
      () => node.look(watched),
      ([pod = '']) => zombie.test(pod),
    )
    await clock.sleep(15_000)
    expect(await node.look(watched)).toEqual([expect.stringMatching(zombie)])
    expect(processesOf(/^dockerd/)).toHaveLength(1)
    const name = `runner-${uuid.replace(/[{}]/g, '')}`
    const job = await node.get(jobs, watched, name)
    expect(valueAt(job, 'status', 'active')).toBe(1)
    await node.kubernetes.delete(jobs, { namespace: watched, name }, { propagationPolicy: 'Background' })
    await node.becomes(watched)
  })

  it('leaves nothing with the RunnerSet that dayfly import makes of the same template', async (context) => {
    if (why !== undefined) context.skip(why)
    const { node, operator, watched } = stage()
    await node.kubernetes.create(
      secrets,
      object(
        'v1',
        'Secret',
        { name: 'runner-bitbucket-credentials', namespace: watched },
        { stringData: { bitbucketAccessToken: forge.token } },
      ),
    )
    const folder = path.join(tmpdir(), `bitbucket-import-${process.pid}`)
    mkdirSync(folder, { recursive: true })
    const files = [operator.file(configuration(watched)), operator.file(template())]
    await operator.dayfly('import', 'bitbucket-autoscaler', ...files, '--out', folder)
    for (const name of readdirSync(folder).filter((each) => each.endsWith('.yaml'))) {
      const text = readFileSync(path.join(folder, name), 'utf8')
      writeFileSync(path.join(folder, name), atForge(text, forge))
    }
    await operator.kubectl('apply', '--server-side', '-f', folder)
    const watch = watchPods(node, watched)
    await ready(stage(), watched, 'linux', 60_000)
    const steps = queueSteps(forge, 3, workFolder)
    const facts = () => steps.map((id) => forge.control.step(id))
    await settle(
      async () => facts(),
      (all) => all.every((step) => step?.state === 'COMPLETED'),
      240_000,
    )
    const logs = facts().flatMap((step) => step?.log.lines ?? [])
    expect(
      facts().map((step) => step?.result),
      logs.join('\n'),
    ).toEqual(['SUCCESSFUL', 'SUCCESSFUL', 'SUCCESSFUL'])
    const names = facts().map((step) => step?.runner?.name ?? '')
    expect(new Set(names).size).toBe(3)
    const isLeft = (pod: { readonly metadata: { readonly name: string } }) => names.includes(pod.metadata.name)
    await settle(
      async () => watch.live().filter(isLeft),
      (left) => left.length === 0,
      120_000,
    )
    const set = await node.get(runnerSets, watched, 'linux')
    expect(valueAt(set, 'status', 'lateJobs')).toBe(0)
    expect(listAt(set, 'status', 'jobs').map((job) => textAt(job, 'result'))).toEqual(Array(3).fill('succeeded'))
    await node.kubernetes.delete(runnerSets, { namespace: watched, name: 'linux' })
    await settle(
      async () => forge.control.runners(),
      (left) => left.length === 0,
      60_000,
    )
    await node.becomes(watched)
    await settle(
      async () => processesOf(/^(?:dockerd|containerd-shim.* -namespace moby)/),
      (left) => left.length === 0,
    )
    await watch.close()
  }, 600_000)
}
