// S3: a hook that never returns keeps a pod in ContainerCreating, and a deleted pod in Terminating.
import type { ExecScript } from '@dayfly/cluster/runtime/scripted/scripted-runtime'
import { pods, runnerSets } from '@dayfly/controller/resources'
import { listAt, numberAt, textAt } from '@dayfly/kit/read-json'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { dayflyNamespace, startDayfly } from '../dayfly.ts'
import { linesOf, lookLive, repairLines, repairLive } from '../doctor.ts'
import { createSet, queueJobs } from '../github-set.ts'
import { openGitHub } from '../github-world.ts'
import type { Bench, Incident } from '../incident.ts'
import { tableOf } from '../kubectl.ts'
import { create, find, hasState, listIn } from '../objects.ts'
import { note, noteTable } from '../seen.ts'
import type { World } from '../world.ts'

const minute = 60_000
const namespace = 'agents'
const forced = 'agents-forced'
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
    const world = await open(bench)
    await makePods(world)
    await showCreating(bench, world)
    await deletePods(world)
    await showTerminating(bench, world)
    await showForce(bench, world)
    await endStuck(bench, world)
    await showRefusal(bench)
    await showReplacement(bench)
    if (bench.keeps) {
      const kept = await open(bench, { stays: true })
      await makePods(kept)
      await deletePods(kept, ['ends-slowly', 'held'])
    }
  },
}

function open(bench: Bench, given: { readonly stays?: true } = {}): Promise<World> {
  const hangs = () => 'hangs' as const
  const scripts = { agent: { exec: hangs }, worker: { exec: hangs }, metrics: { onTerm: { afterMs: 0, exitCode: 0 } } }
  return bench.begin().open({ scripts, namespaces: [namespace, forced], ...given })
}

const agent = { name: 'agent', image: 'registry.example/agent:1', lifecycle: { postStart } }
const metrics = { name: 'metrics', image: 'registry.example/metrics:1' }
/** The agent never starts for Kubernetes. */
const neverStarts = { hostPID: true, terminationGracePeriodSeconds: 30, containers: [agent, metrics] }

async function makePods(world: World): Promise<void> {
  const make = (name: string, spec: object, metadata: object = {}) =>
    create(world, pods, { metadata: { name, namespace, ...metadata }, spec })
  await make('never-starts', neverStarts)
  const preStop = { exec: { command: ['/bin/sh', '-c', 'while [ ! -e /tmp/drained ]; do sleep 1; done'] } }
  const worker = { name: 'worker', image: agent.image, lifecycle: { preStop } }
  await make('ends-slowly', { terminationGracePeriodSeconds: 3600, containers: [worker] })
  const plain = { terminationGracePeriodSeconds: 30, containers: [metrics] }
  await make('held', plain, { finalizers: ['example.com/clean-up'] })
  const isReady = async () => {
    const found = await listIn(world, pods, namespace)
    const running = (await world.containers()).map(({ name }) => name)
    return ['worker', 'metrics'].every((name) => hasState(found, name, 'running')) && running.includes('agent')
  }
  await world.pass(minute, isReady)
  await world.linger(9 * minute)
}

async function showCreating(bench: Bench, world: World): Promise<void> {
  await noteTable(bench.notebook, world, 'incident', {
    claim: 'After ten minutes the pod with the postStart hook has started no container for Kubernetes.',
    resource: pods,
    namespace,
    matches: /never-starts +0\/2 +ContainerCreating/,
  })
  const found = linesOf(await lookLive(world, namespace), namespace).filter((line) => line.startsWith('LIV303'))
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
  for (const name of names) await world.kubernetes.delete(pods, { namespace, name })
  const hasEnded = async () => hasState(await listIn(world, pods, namespace), 'metrics', 'terminated')
  await world.pass(minute, hasEnded)
  await world.linger(29 * minute)
}

async function showTerminating(bench: Bench, world: World): Promise<void> {
  await noteTable(bench.notebook, world, 'incident', {
    claim:
      'Half an hour after kubectl delete, all three pods still exist: a preStop hook with a long grace period, a finalizer on a pod that has ended, a postStart hook.',
    resource: pods,
    namespace,
    matches: /ends-slowly .*Terminating[\s\S]*held +0\/1 +Completed[\s\S]*never-starts .*Terminating/,
  })
}

/** The popular remedy: a forced deletion. */
async function showForce(bench: Bench, world: World): Promise<void> {
  const at = { namespace: forced, name: 'never-starts' }
  const pod = await create(world, pods, { metadata: at, spec: neverStarts })
  const running = async () => (await world.containers()).filter((id) => id.pod === pod.metadata.uid)
  await world.pass(10 * minute, async () => (await running()).length > 0)
  await world.kubernetes.delete(pods, at, { gracePeriodSeconds: 0 })
  await world.linger(10 * minute)
  const left = await running()
  const isGone = (await find(world, pods, at)) === undefined
  note(bench.notebook, world, 'wrong remedy', {
    claim: 'A forced deletion removes the object. Ten minutes later its container still runs on the node.',
    command: `kubectl -n ${forced} delete pod never-starts --grace-period=0 --force; crictl ps`,
    output: left.map(({ name }) => `Running   ${name}   never-starts`),
    holds: isGone && left.length > 0,
  })
  for (const id of left) await world.endContainer(id)
}

/** The doctor says why each pod hangs, and repairs only what is proved. The operator ends the hook on the node. */
async function endStuck(bench: Bench, world: World): Promise<void> {
  const look = await lookLive(world, namespace)
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
  const names = async () => (await listIn(world, pods, namespace)).map(({ metadata }) => metadata.name)
  // The hook of the worker has an hour left.
  const ended = bench.lacks.has('hours') ? ['agent', 'worker'] : ['agent']
  for (const id of await world.containers()) if (ended.includes(id.name)) await world.endContainer(id)
  await world.pass(2 * minute, async () => !(await names()).includes('never-starts'))
  const release = { type: 'merge', body: { metadata: { finalizers: null } } } as const
  await world.kubernetes.patch(pods, { namespace, name: 'held' }, release)
  await world.pass(60 * minute, async () => (await names()).length === 0 && (await world.containers()).length === 0)
  const left = await tableOf(world, pods, namespace)
  note(bench.notebook, world, 'remedy', {
    claim:
      'The container is ended on the node, and the finalizer by its owner. With the end of the grace period all pods are gone, and no container runs.',
    command: `crictl stop agent; kubectl -n ${namespace} get pods; crictl ps`,
    output: left,
    holds: left[0]?.startsWith('No resources found') === true && (await world.containers()).length === 0,
  })
}

/** A container with the hook starts before the runner. */
const template = { spec: { shareProcessNamespace: true, containers: [agent, { name: 'runner' }] } }

function findSet(world: World): Promise<KubeObject | undefined> {
  return find(world, runnerSets, { namespace: dayflyNamespace, name: 'builds' })
}

async function showRefusal(bench: Bench): Promise<void> {
  const { clock, open } = bench.begin()
  const forge = openGitHub(clock)
  const world = await open({ scripts: { runner: forge.runner } })
  const dayfly = await startDayfly(world, bench.dayfly, forge.emulator.transport)
  await createSet(world, forge, { scale: { max: 2 }, template })
  queueJobs(forge, 1, 5_000)
  const ready = async () => {
    const conditions = listAt(await findSet(world), 'status', 'conditions')
    return conditions.find((condition) => textAt(condition, 'type') === 'Ready')
  }
  const hasJob = async () => numberAt(await findSet(world), 'status', 'demand') === 1
  await world.pass(minute / 2, async () => textAt(await ready(), 'status') === 'False' && (await hasJob()))
  await world.linger(minute / 2)
  const condition = await ready()
  const message = textAt(condition, 'message') ?? ''
  note(bench.notebook, world, 'remedy', {
    claim: 'Dayfly refuses a template with such a hook, and starts no runner of it.',
    command: `kubectl -n ${dayflyNamespace} get runnersets`,
    output: [...(await tableOf(world, runnerSets, dayflyNamespace)), message],
    holds:
      textAt(condition, 'reason') === 'TemplateHangs' &&
      /postStart/.test(message) &&
      (await world.containers()).length === 0,
  })
  await dayfly.stop()
}

/** The operator allows the hook, and the hook of the first runner hangs. */
async function showReplacement(bench: Bench): Promise<void> {
  const { clock, open } = bench.begin()
  const forge = openGitHub(clock)
  let hooks = 0
  const exec = (): ExecScript => (++hooks === 1 ? 'hangs' : { exitCode: 0 })
  const world = await open({ scripts: { runner: forge.runner, agent: { exec } } })
  const dayfly = await startDayfly(world, bench.dayfly, forge.emulator.transport)
  await createSet(world, forge, { scale: { max: 2 }, templateChecks: 'warn', template })
  const [job = ''] = queueJobs(forge, 1, 5_000)
  const result = () => forge.emulator.control.job(job)?.result
  const isReplaced = async () => {
    const set = await findSet(world)
    const isQuiet = ['demand', 'busy', 'pending'].every((count) => numberAt(set, 'status', count) === 0)
    return isQuiet && result() !== undefined && (await listIn(world, pods, dayflyNamespace)).length === 1
  }
  await world.pass(15 * minute, isReplaced)
  const table = await tableOf(world, pods, dayflyNamespace)
  note(bench.notebook, world, 'remedy', {
    claim: `Where the operator allows the hook and it hangs once, the start ends at its deadline, and another runner takes the job: it ${result()}.`,
    command: `kubectl -n ${dayflyNamespace} get runnersets,pods`,
    output: [...(await tableOf(world, runnerSets, dayflyNamespace)), ...table],
    holds: result() === 'succeeded' && hooks === 2 && table.length === 2 && /Terminating/.test(table.join('\n')),
  })
  await dayfly.stop()
}
