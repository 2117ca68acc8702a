// Docker beside a runner: refused as an ordinary container, converted by `docker: sidecar`, and ended by the controller where it is forced.
import { decodeFiles, examine } from '@dayfly/doctor/engine/examine'
import { catalogue } from '@dayfly/doctor/rules/catalogue'
import { buildPod } from '@dayfly/runner-set/core/pod'
import { runnerSet } from '@dayfly/runner-set/core/world.fixture'
import type { DockerKind } from '@dayfly/runner-set/model/runner-set'
import { expect, it } from 'vitest'
import { embeddedKubernetes } from '../cluster/embedded-kubernetes.ts'
import { namespaces, object, pods as podResource } from '../kubernetes/client-place.ts'
import {
  confirmDeletions,
  openStage,
  podNames,
  pods,
  queue,
  type Stage,
  setStatus,
  status,
  succeeded,
} from './stage.ts'

const zombie = {
  spec: {
    containers: [
      { name: 'runner' },
      { name: 'docker', image: 'docker:27-dind', securityContext: { privileged: true } },
    ],
  },
}
const conditionOf = (opened: Stage, type: string) =>
  status(opened).conditions?.find((condition) => condition.type === type)

it('refuses the zombie template before any pod, with reason, path and fix', async () => {
  const stage = await openStage({ spec: { template: zombie } })
  queue(stage, 2)
  await stage.clock.advance(60_000)
  expect(podNames(stage)).toEqual([])
  expect(status(stage)).toMatchObject({ lastReason: 'template-hangs' })
  const { message = '', ...condition } = conditionOf(stage, 'TemplateAccepted') ?? {}
  expect(condition).toMatchObject({ status: 'False', reason: 'TemplateHangs' })
  expect(message).toContain('spec.containers[1]: a Docker daemon in an ordinary container')
  expect(message).toContain('set docker: sidecar in the RunnerSet')
})

it('runs it with templateChecks: warn, shows the hazard, and ends each pod itself once the runner has ended', async () => {
  const stage = await openStage({ spec: { template: zombie, templateChecks: 'warn' } })
  queue(stage, 1)
  await stage.clock.advance(5_000)
  expect(conditionOf(stage, 'TemplateAccepted')).toMatchObject({
    status: 'True',
    reason: 'AcceptedWithWarnings',
    message: expect.stringContaining('spec.containers[1]: a Docker daemon in an ordinary container'),
  })
  expect(conditionOf(stage, 'Ready')).toMatchObject({ status: 'Unknown', reason: 'Starting' })
  const [name = ''] = podNames(stage)
  const at = new Date(stage.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z')
  const container = (container: string, state: object) => ({
    ...{ name: container, image: 'x', imageID: '', restartCount: 0, state },
    ready: 'running' in state,
  })
  const running = { running: { startedAt: at } }
  stage.registry.bind('ci', name, 'node-1')
  setStatus(stage, name, {
    phase: 'Running',
    containerStatuses: [container('runner', running), container('docker', running)],
  })
  stage.emulator.control.stub.online(name)
  await stage.clock.advance(100)
  stage.emulator.control.stub.start(name)
  await stage.clock.advance(100)
  expect(pods(stage)[0]?.metadata.deletionTimestamp).toBeUndefined()
  stage.emulator.control.stub.finish(name, succeeded)
  const terminated = { terminated: { exitCode: 0, reason: 'Completed', startedAt: at, finishedAt: at } }
  setStatus(stage, name, {
    phase: 'Running',
    containerStatuses: [container('runner', terminated), container('docker', running)],
  })
  await stage.clock.advance(2_000)
  expect(pods(stage).find(({ metadata }) => metadata.name === name)?.metadata.deletionTimestamp).toBeDefined()
  confirmDeletions(stage)
  await stage.clock.advance(1_000)
  expect(podNames(stage)).not.toContain(name)
})

it('accepts the same template with docker: sidecar, and starts pods with a native sidecar', async () => {
  const stage = await openStage({ spec: { template: zombie, docker: 'sidecar' } })
  queue(stage, 1)
  await stage.clock.advance(5_000)
  expect(conditionOf(stage, 'TemplateAccepted')).toMatchObject({ status: 'True', reason: 'Accepted' })
  expect(pods(stage)).toMatchObject([
    {
      spec: {
        containers: [{ name: 'runner' }],
        initContainers: [
          { name: 'docker', image: 'docker:27-dind', restartPolicy: 'Always' },
          { name: 'dayfly-externals' },
        ],
      },
    },
  ])
})

it.each(['sidecar', 'rootless'] as const)('writes an engine in which the doctor finds nothing new: %s', (kind) => {
  const rulesOf = (docker: DockerKind) => {
    const pod = buildPod(runnerSet({ docker }), 'linux-a', '1')
    const files = decodeFiles([{ path: 'pod.yaml', text: JSON.stringify(pod) }])
    return examine(files, catalogue).findings.map(({ rule }) => rule)
  }
  expect(rulesOf(kind)).toEqual(rulesOf('none'))
})

/** Creates the default pod in a namespace that enforces a level. */
async function admitted(docker: DockerKind, level: string): Promise<string> {
  const kubernetes = embeddedKubernetes('other')
  const labels = { 'pod-security.kubernetes.io/enforce': level }
  await kubernetes.create(namespaces, object('v1', 'Namespace', { name: 'ci', labels }))
  const { object: pod } = await kubernetes.create(podResource, buildPod(runnerSet({ docker }), 'linux-a', '1'))
  return pod.metadata.name
}

it('needs a namespace of the level baseline without an engine', async () => {
  expect(await admitted('none', 'baseline')).toBe('linux-a')
})

it.each([
  ['sidecar', 'privileged (container "docker" must not set securityContext.privileged=true)'],
  [
    'rootless',
    'forbidden AppArmor profile (container "docker" must not set AppArmor profile type to "Unconfined"), non-default capabilities (container "docker" must not include "NET_ADMIN", "SYS_ADMIN" in securityContext.capabilities.add), seccompProfile (container "docker" must not set securityContext.seccompProfile.type to "Unconfined")',
  ],
] as const)(
  'needs a namespace that enforces the level privileged, and is refused at baseline: %s',
  async (docker, why) => {
    expect(await admitted(docker, 'privileged')).toBe('linux-a')
    await expect(admitted(docker, 'baseline')).rejects.toThrow(`violates PodSecurity "baseline:latest": ${why}`)
  },
)
