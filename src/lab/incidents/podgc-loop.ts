// S2: finished pods are collected before the Job controller has counted them, and the work runs again.
import { numberAt, textAt } from '../../lib/read-json.ts'
import { startDayfly } from '../dayfly.ts'
import { fixText, linesOf, lookLive } from '../doctor.ts'
import { createSet, queueJobs } from '../github-set.ts'
import { openGitHub } from '../github-world.ts'
import type { Bench, Incident } from '../incident.ts'
import { tableOf } from '../kubectl.ts'
import { note } from '../seen.ts'
import type { World } from '../world.ts'

const minute = 60_000
const namespace = 'exports'
/** Jobs of each of the two bursts. The second one arrives while the first one ends. */
const burst = 40
const total = 2 * burst
/** The provider's threshold for finished pods, in proportion to the load. */
const threshold = 6
const podMs = 90_000
/** Half of the default, because the load is smaller, too. */
const requestsPerSecond = 10

const manifest = (name: string) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, namespace },
  spec: {
    template: {
      spec: { restartPolicy: 'Never', containers: [{ name: 'export', image: 'registry.example/export:1' }] },
    },
  },
})

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
    `The load is smaller than the one that was met: ${total} Jobs, a threshold of ${threshold} pods, and ${requestsPerSecond} requests a second.`,
    'The containers follow a script: each one works for 90 s. Calls to the API server take no time here.',
  ],
  sources: [
    'https://github.com/kubernetes/enhancements/tree/master/keps/sig-apps/2307-job-tracking-without-lingering-pods',
    'https://github.com/kubernetes/kubernetes/issues/28486',
    'https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-garbage-collection',
  ],
  look: `kubectl -n ${namespace} get jobs,pods`,
  run: async (bench) => {
    await showLoop(bench)
    await showTracking(bench)
    await showTtl(bench)
    await showDayfly(bench)
  },
}

type Load = {
  readonly world: World
  /** The starts of containers, by the name of their Job. */
  readonly starts: ReadonlyMap<string, number>
  /** Returns the pods that the collector deleted. */
  readonly collected: () => number
}

/** Runs both bursts to their end, or for at most an hour. */
async function runLoad(
  bench: Bench,
  tracking: 'finalizers' | 'presence',
  more: { readonly stays?: true; readonly spec?: object } = {},
): Promise<Load> {
  const starts = new Map<string, number>()
  const scripts = { export: { endsAfterMs: podMs } }
  const cluster = { terminatedPodGcThreshold: threshold, jobs: { tracking, requestsPerSecond } }
  const world = bench.open({
    clock: bench.clock(),
    scripts,
    cluster,
    namespaces: [namespace],
    ...(more.stays ? { stays: true } : {}),
  })
  let gone = 0
  world.cluster.registry.subscribe('pods', ({ type, object }) => {
    const job = object.metadata.ownerReferences?.[0]?.name ?? ''
    if (type === 'ADDED') starts.set(job, (starts.get(job) ?? 0) + 1)
    if (type === 'DELETED') gone++
  })
  for (const name of ['a', 'b']) {
    for (let index = 1; index <= burst; index++) {
      const job = manifest(`export-${name}${index}`)
      world.create('jobs.batch', { ...job, spec: { ...job.spec, ...more.spec } })
    }
    await world.clock.advance(podMs)
  }
  await world.clock.advance(10 * minute)
  return { world, starts, collected: () => gone }
}

function runs({ starts }: Load): number {
  return [...starts.values()].reduce((sum, count) => sum + count, 0)
}

/** Returns the Job whose pod was created most often. */
function mostRun({ starts }: Load): readonly [name: string, count: number] {
  return [...starts].sort(([, one], [, other]) => other - one)[0] ?? ['', 0]
}

function figures(load: Load): readonly string[] {
  const repeated = [...load.starts.values()].filter((count) => count > 1).length
  const [name, count] = mostRun(load)
  return [
    `${total} Jobs, ${runs(load)} pods created, ${load.collected()} pods deleted`,
    `Jobs that ran more than once: ${repeated}; most runs of one Job: ${count} (${name})`,
  ]
}

async function showLoop(bench: Bench): Promise<void> {
  const load = await runLoad(bench, 'presence', { stays: true })
  note(bench.notebook, load.world, 'incident', {
    claim: 'Without the finalizer, work runs again although no pod has failed.',
    command: `kubectl -n ${namespace} get pods --watch # counted`,
    output: figures(load),
    holds: runs(load) > total && load.collected() > 0,
  })
  const [name, count] = mostRun(load)
  const events = load.world.cluster.registry
    .list('events', namespace)
    .filter((event) => String(event['message']).includes(`pod: ${name}-`))
    .map(({ reason, message }) => `${reason}   job/${name}   ${message}`)
  note(bench.notebook, load.world, 'incident', {
    claim: 'The Events of one Job show each new pod, and nothing about the deletion of the one before.',
    command: `kubectl -n ${namespace} get events --field-selector involvedObject.name=${name}`,
    output: events,
    holds: count > 1 && events.length === count && events.every((line) => line.startsWith('SuccessfulCreate')),
  })
}

async function showTracking(bench: Bench): Promise<void> {
  const load = await runLoad(bench, 'finalizers')
  const jobs = load.world.cluster.registry.list('jobs.batch', namespace)
  const counted = jobs.filter((job) => numberAt(job, 'status', 'succeeded') === 1).length
  note(bench.notebook, load.world, 'remedy', {
    claim: `With the finalizer (Kubernetes 1.26 and later), the same load runs once: ${counted} of ${total} Jobs have counted their pod.`,
    command: `kubectl -n ${namespace} get jobs,pods --watch # counted`,
    output: figures(load),
    holds: runs(load) === total && counted === total && load.collected() > 0,
  })
  const found = linesOf(await lookLive(load.world), namespace).filter((line) => line.startsWith('JOB201'))
  note(bench.notebook, load.world, 'remedy', {
    claim: `The doctor finds the Jobs that only the collector cleans up (${found.length} findings).`,
    command: `dayfly doctor --live -n ${namespace}`,
    output: found.slice(0, 1),
    holds: found.length > 0,
  })
}

/** The doctor's fix: Jobs that delete themselves. */
async function showTtl(bench: Bench): Promise<void> {
  const fixed = fixText('job.yaml', text, bench.profile)
  const ttl = Number(/ttlSecondsAfterFinished: (\d+)/.exec(fixed.text)?.[1])
  const load = await runLoad(bench, 'finalizers', { spec: { ttlSecondsAfterFinished: ttl } })
  await load.world.clock.advance((ttl + 60) * 1_000)
  const left = await tableOf(load.world, 'jobs.batch', namespace)
  note(bench.notebook, load.world, 'remedy', {
    claim: `With the fix of the doctor (a TTL of ${ttl} s), no Job and no pod is left, and no pod ran twice.`,
    command: `dayfly doctor --fix=unsafe job.yaml; kubectl -n ${namespace} get jobs`,
    output: [...fixed.fixes, ...left],
    holds: runs(load) === total && left[0]?.startsWith('No resources found') === true,
  })
}

/** The same number of jobs on Dayfly's runners, at the same threshold. */
async function showDayfly(bench: Bench): Promise<void> {
  const clock = bench.clock()
  const forge = openGitHub(clock)
  const cluster = { terminatedPodGcThreshold: threshold }
  const world = bench.open({ clock, scripts: { runner: forge.runner }, cluster })
  const dayfly = await startDayfly(world, bench.dayfly, forge.emulator.transport)
  const { registry } = world.cluster
  const finishedAt = new Map<string, number>()
  let longestMs = 0
  registry.subscribe('pods', ({ type, object }) => {
    const { uid } = object.metadata
    const isFinished = /Succeeded|Failed/.test(textAt(object, 'status', 'phase') ?? '')
    if (type === 'DELETED') longestMs = Math.max(longestMs, clock.now() - (finishedAt.get(uid) ?? clock.now()))
    else if (isFinished && !finishedAt.has(uid)) finishedAt.set(uid, clock.now())
  })
  createSet(world, forge, { scale: { max: total } })
  const jobs = queueJobs(forge, total, podMs)
  await clock.advance(10 * minute)
  const done = jobs.map((id) => forge.emulator.control.job(id))
  const once = done.filter((job) => job?.result === 'succeeded' && job.runs === 1).length
  const left = registry.list('pods').length
  note(bench.notebook, world, 'remedy', {
    claim: `Dayfly runs ${total} jobs under the same threshold: ${once} ran exactly once.`,
    command: 'kubectl get pods -A --watch # counted',
    output: [`pods left: ${left}; the longest time from the end of a pod to its deletion: ${longestMs} ms`],
    holds: once === total && left === 0 && finishedAt.size === total && longestMs < 5_000,
  })
  await dayfly.stop()
}
