// S3: a hook that never returns keeps a pod in ContainerCreating, and a deleted pod in Terminating.
import type { ExecScript } from '../../embedded/runtime/scripted/scripted-runtime.ts'
import { listAt, textAt } from '../../lib/read-json.ts'
import { dayflyNamespace, startDayfly } from '../dayfly.ts'
import { linesOf, lookLive, repairLines, repairLive } from '../doctor.ts'
import { createSet, queueJobs } from '../github-set.ts'
import { openGitHub } from '../github-world.ts'
import type { Bench, Incident } from '../incident.ts'
import { tableOf } from '../kubectl.ts'
import { note, noteTable } from '../seen.ts'
import type { World } from '../world.ts'

const minute = 60_000
const namespace = 'agents'
const postStart = { exec: { command: ['/bin/sh', '-c', 'while ! curl -s localhost:8080/ready; do sleep 1; done'] } }

export const stuckHook: Incident = {
  id: 'stuck-hook',
  code: 'S3',
  title: 'a hook that never returns keeps a pod in ContainerCreating, and after its deletion in Terminating',
  why: [
    'The kubelet has one worker for each pod. It runs a postStart command in that worker without a time limit.',
    'Until the command returns, no later container starts, and a deletion does not begin, even after its grace period. In a shared PID namespace the command may outlive its container.',
    'A preStop command is bounded by the grace period only. A finalizer holds a pod until its controller removes it.',
    'A forced deletion removes the object alone. The container runs on, and a replacement may do its work twice.',
    'Dayfly refuses a template with such a hook. Where the operator allows it, a start has a deadline, and a pod that is stuck does not block its replacement.',
  ],
  models: [
    'The containers follow a script: the hook hangs until its container is ended on the node.',
    'The hand of the operator on the node is a call of the lab to the container runtime.',
  ],
  sources: [
    'https://github.com/kubernetes/kubernetes/issues/116032',
    'https://github.com/kubernetes/kubernetes/issues/113606',
    'https://github.com/moby/moby/issues/42328',
    'https://kubernetes.io/docs/concepts/containers/container-lifecycle-hooks/',
  ],
  look: `kubectl -n ${namespace} get pods`,
  run: async (bench) => {
    const world = open(bench)
    await makePods(world)
    await showCreating(bench, world)
    await deletePods(world)
    await showTerminating(bench, world)
    await showForce(bench)
    await endStuck(bench, world)
    await showRefusal(bench)
    await showReplacement(bench)
    if (bench.keeps) {
      const kept = open(bench, 'stays')
      await makePods(kept)
      await deletePods(kept, ['ends-slowly', 'held'])
    }
  },
}

function open(bench: Bench, stays?: 'stays'): World {
  const hangs = () => 'hangs' as const
  const scripts = { agent: { exec: hangs }, worker: { exec: hangs } }
  return bench.open({ clock: bench.clock(), scripts, namespaces: [namespace], ...(stays ? { stays: true } : {}) })
}

function createPod(world: World, name: string, spec: object, metadata: object = {}): void {
  world.create('pods', { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, ...metadata }, spec })
}

async function makePods(world: World): Promise<void> {
  const image = 'registry.example/agent:1'
  const metrics = { name: 'metrics', image: 'registry.example/metrics:1' }
  const agent = { name: 'agent', image, lifecycle: { postStart } }
  createPod(world, 'never-starts', { hostPID: true, terminationGracePeriodSeconds: 30, containers: [agent, metrics] })
  const preStop = { exec: { command: ['/bin/sh', '-c', 'while pgrep job; do sleep 1; done'] } }
  const worker = { name: 'worker', image, lifecycle: { preStop } }
  createPod(world, 'ends-slowly', { terminationGracePeriodSeconds: 3600, containers: [worker] })
  const plain = { terminationGracePeriodSeconds: 30, containers: [metrics] }
  createPod(world, 'held', plain, { finalizers: ['example.com/clean-up'] })
  await world.clock.advance(10 * minute)
}

async function showCreating(bench: Bench, world: World): Promise<void> {
  await noteTable(bench.notebook, world, 'incident', {
    claim: 'After ten minutes the pod with the postStart hook has started no container for Kubernetes.',
    resource: 'pods',
    namespace,
    matches: /never-starts +0\/2 +ContainerCreating/,
  })
  const found = linesOf(await lookLive(world), namespace).filter((line) => line.startsWith('LIV303'))
  note(bench.notebook, world, 'incident', {
    claim: 'The doctor names the hook.',
    command: `dayfly doctor --live -n ${namespace}`,
    output: found,
    holds: found.length === 1 && /postStart command of agent/.test(found.join()),
  })
}

async function deletePods(
  world: World,
  names: readonly string[] = ['never-starts', 'ends-slowly', 'held'],
): Promise<void> {
  for (const name of names) world.cluster.registry.delete('pods', namespace, name)
  await world.clock.advance(30 * minute)
}

async function showTerminating(bench: Bench, world: World): Promise<void> {
  await noteTable(bench.notebook, world, 'incident', {
    claim:
      'Half an hour after kubectl delete, all three pods still exist: a preStop hook with a long grace period, a finalizer on a pod that has ended, a postStart hook.',
    resource: 'pods',
    namespace,
    matches: /ends-slowly .*Terminating[\s\S]*held +0\/1 +Error[\s\S]*never-starts .*Terminating/,
  })
}

/** The popular remedy: a forced deletion. */
async function showForce(bench: Bench): Promise<void> {
  const world = open(bench)
  await makePods(world)
  const { registry } = world.cluster
  const uid = registry.get('pods', namespace, 'never-starts')?.metadata.uid ?? ''
  registry.delete('pods', namespace, 'never-starts', { gracePeriodSeconds: 0 })
  await world.clock.advance(10 * minute)
  const running = world.containers().filter(({ pod }) => pod === uid)
  const isGone = registry.get('pods', namespace, 'never-starts') === undefined
  note(bench.notebook, world, 'wrong remedy', {
    claim: 'A forced deletion removes the object. Ten minutes later its container still runs on the node.',
    command: `kubectl -n ${namespace} delete pod never-starts --grace-period=0 --force; crictl ps`,
    output: running.map(({ name }) => `Running   ${name}   never-starts`),
    holds: isGone && running.length > 0,
  })
}

/** The doctor says why each pod hangs, and repairs only what is proved. The operator ends the hook on the node. */
async function endStuck(bench: Bench, world: World): Promise<void> {
  const { registry } = world.cluster
  const look = await lookLive(world)
  const found = linesOf(look, namespace).filter((line) => line.startsWith('LIV302'))
  const repaired = await repairLive(world, look)
  note(bench.notebook, world, 'remedy', {
    claim:
      'The doctor names the cause of each pod that is stuck, and removes none: time alone proves nothing. The pod in its grace period is not stuck.',
    command: `dayfly doctor --live -n ${namespace} --fix`,
    output: [...found, ...repairLines(repaired)],
    holds:
      found.length === 2 &&
      /example\.com\/clean-up/.test(found.join()) &&
      /postStart command of agent/.test(found.join()) &&
      repaired.entries.length === 0,
  })
  const uid = registry.get('pods', namespace, 'never-starts')?.metadata.uid
  for (const id of world.containers()) if (id.pod === uid && id.name === 'agent') await world.endContainer(id)
  await world.clock.advance(2 * minute)
  const held = registry.get('pods', namespace, 'held')
  if (held) registry.update('pods', { ...held, metadata: { ...held.metadata, finalizers: [] } })
  await world.clock.advance(60 * minute)
  const left = await tableOf(world, 'pods', namespace)
  note(bench.notebook, world, 'remedy', {
    claim:
      'The container is ended on the node, and the finalizer by its owner. With the end of the grace period all pods are gone, and no container runs.',
    command: `crictl stop agent; kubectl -n ${namespace} get pods; crictl ps`,
    output: left,
    holds: left[0]?.startsWith('No resources found') === true && world.containers().length === 0,
  })
}

/** A container with the hook starts before the runner. */
const template = {
  spec: {
    shareProcessNamespace: true,
    containers: [{ name: 'agent', image: 'registry.example/agent:1', lifecycle: { postStart } }, { name: 'runner' }],
  },
}

async function showRefusal(bench: Bench): Promise<void> {
  const clock = bench.clock()
  const forge = openGitHub(clock)
  const world = bench.open({ clock, scripts: { runner: forge.runner } })
  const dayfly = await startDayfly(world, bench.dayfly, forge.emulator.transport)
  createSet(world, forge, { scale: { max: 2 }, template })
  queueJobs(forge, 1, 30_000)
  await clock.advance(minute)
  const set = world.cluster.registry.get('runnersets.dayfly.dev', dayflyNamespace, 'builds')
  const ready = listAt(set, 'status', 'conditions').find((condition) => textAt(condition, 'type') === 'Ready')
  const message = textAt(ready, 'message') ?? ''
  note(bench.notebook, world, 'remedy', {
    claim: 'Dayfly refuses a template with such a hook, and starts no runner of it.',
    command: `kubectl -n ${dayflyNamespace} get runnersets`,
    output: [...(await tableOf(world, 'runnersets.dayfly.dev', dayflyNamespace)), message],
    holds: textAt(ready, 'reason') === 'TemplateHangs' && /postStart/.test(message) && world.containers().length === 0,
  })
  await dayfly.stop()
}

/** The operator allows the hook, and the hook of the first runner hangs. */
async function showReplacement(bench: Bench): Promise<void> {
  const clock = bench.clock()
  const forge = openGitHub(clock)
  let hooks = 0
  const exec = (): ExecScript => (++hooks === 1 ? 'hangs' : { exitCode: 0 })
  const world = bench.open({ clock, scripts: { runner: forge.runner, agent: { exec } } })
  const dayfly = await startDayfly(world, bench.dayfly, forge.emulator.transport)
  createSet(world, forge, { scale: { max: 2 }, templateChecks: 'warn', template })
  const [job = ''] = queueJobs(forge, 1, 30_000)
  await clock.advance(15 * minute)
  const result = forge.emulator.control.job(job)?.result
  const pods = await tableOf(world, 'pods', dayflyNamespace)
  note(bench.notebook, world, 'remedy', {
    claim: `Where the operator allows the hook and it hangs once, the start ends at its deadline, and another runner takes the job: it ${result}.`,
    command: `kubectl -n ${dayflyNamespace} get runnersets,pods`,
    output: [...(await tableOf(world, 'runnersets.dayfly.dev', dayflyNamespace)), ...pods],
    holds: result === 'succeeded' && hooks === 2 && pods.length === 2 && /Terminating/.test(pods.join('\n')),
  })
  await dayfly.stop()
}
