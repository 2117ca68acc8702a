// S2: finished pods are collected before the Job controller has counted them, and the work runs again.
import { events, pods } from '@dayfly/controller/resources'
import { numberAt, textAt } from '@dayfly/kit/read-json'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { dayflyNamespace, startDayfly } from '../dayfly.ts'
import { fixText, linesOf, lookLive } from '../doctor.ts'
import { createSet, queueJobs } from '../github-set.ts'
import { openGitHub } from '../github-world.ts'
import type { Bench, Incident } from '../incident.ts'
import { tableOf } from '../kubectl.ts'
import { embeddedLoad } from '../load.ts'
import { create, jobs, listIn } from '../objects.ts'
import { note } from '../seen.ts'
import { watchPods } from '../watch-pods.ts'
import type { World } from '../world.ts'

const minute = 60_000
const namespace = 'exports'
/** Half of the default, because the load is smaller, too. */
const requestsPerSecond = 10

const container = { name: 'export', image: 'registry.example/export:1' }
const jobSpec = { template: { spec: { restartPolicy: 'Never', containers: [container] } } }

const text = `apiVersion: batch/v1
kind: Job
metadata:
  generateName: export-
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: export
          image: registry.example/export:1
`

export const podgcLoop: Incident = {
  id: 'podgc-loop',
  code: 'S2',
  title: 'finished pods are collected before their Jobs have counted them, and the work runs again',
  why: [
    'Every 20 s the pod garbage collector deletes the oldest finished pods above a threshold for the whole cluster, without an Event. The API does not show the threshold.',
    'Up to Kubernetes 1.21 a Job counted the finished pods that it found. A pod that was collected before that had never existed for it, so it created another one.',
    'The Job controller sends 20 requests a second, and one Job costs about eight of them. Under load it is late, and the collector is not.',
    'Since 1.26 a finalizer keeps each pod until it is counted. The threshold then only decides how long finished pods stay.',
    'Dayfly takes the result of a runner from the watch and deletes its pod at once. No finished pod is left to collect, and a pod that vanished never runs again.',
  ],
  models: [
    'The Job controller of the embedded cluster counts without finalizers on request, as up to 1.21. Everything else is Kubernetes of the chosen version.',
    `The load is smaller than the one that was met: ${2 * embeddedLoad.burst} Jobs, a threshold of ${embeddedLoad.threshold} pods, and ${requestsPerSecond} requests a second.`,
    'The containers follow a script: each one works for 90 s. Calls to the API server take no time here.',
  ],
  sources: [
    'https://github.com/kubernetes/enhancements/tree/master/keps/sig-apps/2307-job-tracking-without-lingering-pods',
    'https://github.com/kubernetes/kubernetes/issues/28486',
    'https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-garbage-collection',
  ],
  look: `kubectl -n ${namespace} get jobs,pods`,
  run: async (bench) => {
    if (!bench.lacks.has('presence')) await showLoop(bench)
    await showTracking(bench)
    await showTtl(bench)
    await showDayfly(bench)
  },
}

type Run = {
  readonly world: World
  /** The Jobs of both bursts. */
  readonly total: number
  /** The starts of containers, by the name of their Job. */
  readonly starts: ReadonlyMap<string, number>
  /** Returns the pods that the collector deleted. */
  readonly collected: () => number
}

type RunOptions = { readonly stays?: true; readonly spec?: object }

/** Runs two bursts of Jobs to their end. The second one arrives while the first one ends. */
async function runJobs(bench: Bench, tracking: 'finalizers' | 'presence', options: RunOptions = {}): Promise<Run> {
  const { burst, workMs, threshold } = bench.load
  const total = 2 * burst
  const world = await bench.begin().open({
    scripts: { export: { endsAfterMs: workMs } },
    cluster: { terminatedPodGcThreshold: threshold, jobs: { tracking, requestsPerSecond } },
    namespaces: [namespace],
    ...(options.stays ? { stays: true } : {}),
  })
  const starts = new Map<string, number>()
  let gone = 0
  watchPods(world, namespace, {
    came: ({ metadata }) => {
      const job = metadata.ownerReferences?.[0]?.name ?? ''
      starts.set(job, (starts.get(job) ?? 0) + 1)
    },
    left: () => gone++,
  })
  const finished = async () => (await listIn(world, jobs, namespace)).filter(isCounted).length
  const spec = { ...jobSpec, ...options.spec }
  for (const name of ['a', 'b']) {
    for (let index = 1; index <= burst; index++)
      await create(world, jobs, { metadata: { name: `export-${name}${index}`, namespace }, spec })
    await world.pass(workMs, async () => (await finished()) > 0)
  }
  const isOver = async () => {
    const left = await listIn(world, jobs, namespace)
    return starts.size === total && left.every(isCounted) && (options.spec !== undefined || total - gone <= threshold)
  }
  await world.pass(10 * minute, isOver)
  return { world, total, starts, collected: () => gone }
}

function isCounted(job: KubeObject): boolean {
  return numberAt(job, 'status', 'succeeded') === 1
}

function runs({ starts }: Run): number {
  return [...starts.values()].reduce((sum, count) => sum + count, 0)
}

/** Returns the Job whose pod was created most often, and of several the first by name: which pod comes first differs from run to run. */
function mostRun({ starts }: Run): readonly [name: string, count: number] {
  const byName = [...starts].sort(([one], [other]) => (one < other ? -1 : 1))
  return byName.sort(([, one], [, other]) => other - one)[0] ?? ['', 0]
}

function figures(run: Run): readonly string[] {
  const repeated = [...run.starts.values()].filter((count) => count > 1).length
  const [name, count] = mostRun(run)
  return [
    `${run.total} Jobs, ${runs(run)} pods created, ${run.collected()} pods deleted`,
    `Jobs that ran more than once: ${repeated}; most runs of one Job: ${count} (${name})`,
  ]
}

async function showLoop(bench: Bench): Promise<void> {
  const run = await runJobs(bench, 'presence', { stays: true })
  note(bench.notebook, run.world, 'incident', {
    claim: 'Without the finalizer, work runs again although no pod has failed.',
    command: `kubectl -n ${namespace} get pods --watch # counted`,
    output: figures(run),
    holds: runs(run) > run.total && run.collected() > 0,
  })
  const [name, count] = mostRun(run)
  const said = (await listIn(run.world, events, namespace))
    .filter((event) => String(event['message']).includes(`pod: ${name}-`))
    .map(({ reason, message }) => `${reason}   job/${name}   ${message}`)
  note(bench.notebook, run.world, 'incident', {
    claim: 'The Events of one Job show each new pod, and nothing about the deletion of the one before.',
    command: `kubectl -n ${namespace} get events --field-selector involvedObject.name=${name}`,
    output: said,
    holds: count > 1 && said.length === count && said.every((line) => line.startsWith('SuccessfulCreate')),
  })
}

async function showTracking(bench: Bench): Promise<void> {
  const run = await runJobs(bench, 'finalizers')
  const { world, total } = run
  const counted = (await listIn(world, jobs, namespace)).filter(isCounted).length
  note(bench.notebook, world, 'remedy', {
    claim: `With the finalizer (Kubernetes 1.26 and later), the same load runs once: ${counted} of ${total} Jobs have counted their pod.`,
    command: `kubectl -n ${namespace} get jobs,pods --watch # counted`,
    output: figures(run),
    holds: runs(run) === total && counted === total && run.collected() > 0,
  })
  const found = linesOf(await lookLive(world, namespace), namespace).filter((line) => line.startsWith('JOB201'))
  note(bench.notebook, world, 'remedy', {
    claim: `The doctor finds the Jobs that only the collector cleans up (${found.length} findings).`,
    command: `dayfly doctor --live -n ${namespace}`,
    output: found.slice(0, 1),
    holds: found.length > 0,
  })
}

/** The doctor's fix: Jobs that delete themselves. */
async function showTtl(bench: Bench): Promise<void> {
  const fixed = fixText('job.yaml', text, bench.profile)
  const ttl = bench.ttlSeconds(Number(/ttlSecondsAfterFinished: (\d+)/.exec(fixed.text)?.[1] ?? 0))
  const run = await runJobs(bench, 'finalizers', { spec: { ttlSecondsAfterFinished: ttl } })
  const { world } = run
  await world.pass((ttl + 60) * 1_000, async () => (await listIn(world, jobs, namespace)).length === 0)
  const left = await tableOf(world, jobs, namespace)
  note(bench.notebook, world, 'remedy', {
    claim: `With the fix of the doctor (a TTL of ${ttl} s), no Job and no pod is left, and no pod ran twice.`,
    command: `dayfly doctor --fix=unsafe job.yaml; kubectl -n ${namespace} get jobs`,
    output: [...fixed.fixes, ...left],
    holds: runs(run) === run.total && left[0]?.startsWith('No resources found') === true,
  })
}

/** The same number of jobs on Dayfly's runners, at the same threshold. */
async function showDayfly(bench: Bench): Promise<void> {
  const { burst, workMs, threshold } = bench.load
  const total = 2 * burst
  const { clock, open } = bench.begin()
  const forge = openGitHub(clock)
  const world = await open({ scripts: { runner: forge.runner }, cluster: { terminatedPodGcThreshold: threshold } })
  const dayfly = await startDayfly(world, bench.dayfly, forge.emulator.transport)
  const finishedAt = new Map<string, number>()
  let longestMs = 0
  const live = watchPods(world, dayflyNamespace, {
    changed: (pod) => {
      const { uid = '' } = pod.metadata
      const isFinished = /Succeeded|Failed/.test(textAt(pod, 'status', 'phase') ?? '')
      if (isFinished && !finishedAt.has(uid)) finishedAt.set(uid, clock.now())
    },
    left: ({ metadata: { uid = '' } }) => {
      longestMs = Math.max(longestMs, clock.now() - (finishedAt.get(uid) ?? clock.now()))
    },
  })
  await createSet(world, forge, { scale: { max: total } })
  const queued = queueJobs(forge, total, workMs)
  const succeeded = () => queued.filter((id) => forge.emulator.control.job(id)?.result === 'succeeded')
  const left = async () => (await listIn(world, pods, dayflyNamespace)).length
  await world.pass(10 * minute, async () => succeeded().length === total && (await left()) === 0 && live.size === 0)
  const once = succeeded().filter((id) => forge.emulator.control.job(id)?.runs === 1).length
  const remaining = await left()
  note(bench.notebook, world, 'remedy', {
    claim: `Dayfly runs ${total} jobs under the same threshold: ${once} ran exactly once.`,
    command: 'kubectl get pods -A --watch # counted',
    output: [`pods left: ${remaining}; the longest time from the end of a pod to its deletion: ${longestMs} ms`],
    holds: once === total && remaining === 0 && finishedAt.size === total && longestMs < 5_000,
  })
  await dayfly.stop()
}
