// Measures the doctor on a cluster of 10,000 pods: time, processor time, peak memory, requests.
// Runs the built program over TLS:
//   npx tsx scripts/build.ts && npx tsx bench/doctor-live.ts --json
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import { createRegistry } from '@dayfly/cluster/api/create-registry'
import type { Registry } from '@dayfly/cluster/api/registry'
import { silentNode } from '@dayfly/cluster/api/silent-node.fixture'
import { createStore } from '@dayfly/cluster/store/store'
import { createApiHandler } from '@dayfly/cluster/wire/api-server'
import { knownIdentity } from '@dayfly/cluster/wire/authentication'
import { openEndpoint } from '@dayfly/cluster/wire/endpoint'
import { kubeconfigText } from '@dayfly/cluster/wire/kubeconfig'
import { createRequestLog } from '@dayfly/cluster/wire/request-log'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import { timestamp } from '@dayfly/kit/timestamp'

const counts = { pods: 10_000, jobs: 5_000, nodes: 200, namespaces: 10 }
/** The unit in which Linux counts processor time. */
const ticksPerSecond = 100

const clock = systemClock()
const random = systemRandom()
const registry = createRegistry({ store: createStore(), clock, random })
fill(registry)
const requestLog = createRequestLog()
const node = silentNode
const backend = { registry, node, clock, random, profile: '1.36', requestLog } as const
const endpoint = await openEndpoint(createApiHandler({ ...backend, authenticate: knownIdentity('bench') }), { clock })
const folder = mkdtempSync(path.join(tmpdir(), 'bench-doctor-live-'))
try {
  const kubeconfig = path.join(folder, 'kubeconfig')
  const text = kubeconfigText({ server: endpoint.origin, ca: endpoint.ca, user: 'bench', token: 'bench' })
  writeFileSync(kubeconfig, text, { mode: 0o600 })
  const measured = await run(['--live', '--kubeconfig', kubeconfig, '--format', 'json'])
  const events = registry.list('events').length
  const bytesAPod = Math.round(JSON.stringify(registry.list('pods')).length / counts.pods)
  const processors = availableParallelism()
  const result = { ...counts, events, bytesAPod, processors, requests: requestLog.count('bench', 'list'), ...measured }
  process.stdout.write(`${JSON.stringify(result, undefined, process.argv.includes('--json') ? undefined : 2)}\n`)
} finally {
  await endpoint.close()
  rmSync(folder, { recursive: true })
}

/** Runs the program. The peak of memory is the kernel's value (VmHWM). */
async function run(args: readonly string[]) {
  const begun = clock.now()
  const child = spawn(process.execPath, ['packages/dayfly/dist/dayfly.js', 'doctor', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let report = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    report += chunk
  })
  let peakKb = 0
  let ticks = 0
  const look = () => {
    peakKb = Number(/VmHWM:\s+(\d+)/.exec(procFile(child.pid, 'status'))?.[1] ?? peakKb)
    const [user, system] = procFile(child.pid, 'stat').split(') ')[1]?.split(' ').slice(11, 13) ?? []
    if (user !== undefined) ticks = Number(user) + Number(system)
  }
  const timer = setInterval(look, 20)
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  clearInterval(timer)
  const { findings, coverage } = JSON.parse(report)
  return {
    code,
    seconds: (clock.now() - begun) / 1000,
    processorSeconds: ticks / ticksPerSecond,
    peakMb: Math.round(peakKb / 1024),
    objects: coverage.objects,
    findings: findings.length,
  }
}

function procFile(pid: number | undefined, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return ''
  }
}

/** Creates runners with Docker beside them, half of them in Jobs. Every pod is as large as after a kubelet and four writers. */
function fill(to: Registry): void {
  for (let index = 0; index < counts.namespaces; index++) to.create('namespaces', { metadata: { name: `ci-${index}` } })
  for (let index = 0; index < counts.nodes; index++) {
    const nodeInfo = { kubeletVersion: 'v1.34.1', osImage: 'Linux', kernelVersion: '6.1', architecture: 'amd64' }
    const conditions = [{ type: 'Ready', status: 'True' }]
    to.create('nodes', { metadata: { name: `node-${index}` }, status: { nodeInfo, conditions } })
  }
  for (let index = 0; index < counts.pods; index++) createRunner(to, index)
}

function createRunner(to: Registry, index: number): void {
  const namespace = `ci-${index % counts.namespaces}`
  const spec = runnerSpec()
  const isJob = index < counts.jobs
  const template = { metadata: { labels: { app: 'runner' } }, spec }
  const job =
    isJob &&
    to.create('jobs.batch', {
      metadata: { name: `runner-${index}`, namespace, managedFields: written('kubectl') },
      spec: { ttlSecondsAfterFinished: 600, backoffLimit: 0, activeDeadlineSeconds: 21_600, template },
    })
  const owner = job && { apiVersion: 'batch/v1', kind: 'Job', name: job.metadata.name, uid: job.metadata.uid }
  const managedFields = [...written('controller'), ...written('kubelet'), ...written('scheduler')]
  const pod = to.create('pods', {
    metadata: {
      name: `runner-${index}-abcde`,
      namespace,
      labels: { app: 'runner', team: `team-${index % 40}`, 'pod-security': 'privileged' },
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(spec) },
      managedFields,
      ...(owner ? { ownerReferences: [{ ...owner, controller: true }] } : {}),
    },
    spec,
  })
  to.bind(namespace, pod.metadata.name, `node-${index % counts.nodes}`)
  const current = to.get('pods', namespace, pod.metadata.name)
  to.update('pods', { ...current, status: statusOf() }, { subresource: 'status' })
  to.create('events', eventAbout(pod.metadata, namespace))
}

function runnerSpec() {
  const env = Array.from({ length: 20 }, (_, index) => ({ name: `SETTING_${index}`, value: 'v'.repeat(40) }))
  const volumeMounts = [{ name: 'work', mountPath: '/work' }]
  const resources = { requests: { cpu: '1', memory: '2Gi' }, limits: { memory: '4Gi' } }
  const runner = { name: 'runner', image: 'ghcr.io/actions/actions-runner:2.330.0', env, volumeMounts, resources }
  const data = { name: 'data', mountPath: '/var/lib/docker' }
  const startupProbe = { exec: { command: ['docker', 'info'] }, failureThreshold: 60 }
  const docker = {
    name: 'docker',
    image: 'docker:28-dind',
    restartPolicy: 'Always',
    startupProbe,
    volumeMounts: [data],
  }
  return {
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 3600,
    initContainers: [{ ...docker, securityContext: { privileged: true } }],
    containers: [runner],
    volumes: [
      { name: 'work', emptyDir: {} },
      { name: 'data', emptyDir: { sizeLimit: '20Gi' } },
    ],
  }
}

function statusOf() {
  const startedAt = timestamp(clock.now())
  const digest = `sha256:${'0123456789abcdef'.repeat(4)}`
  const container = (name: string) => ({
    name,
    image: `registry.example.dev/${name}:1`,
    imageID: `registry.example.dev/${name}@${digest}`,
    containerID: `containerd://${digest}`,
    ready: true,
    started: true,
    restartCount: 0,
    state: { running: { startedAt } },
  })
  const types = ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready']
  const conditions = types.map((type) => ({ type, status: 'True', lastTransitionTime: startedAt }))
  return {
    phase: 'Running',
    podIP: '10.0.0.1',
    startTime: startedAt,
    conditions,
    containerStatuses: [container('runner')],
    initContainerStatuses: [container('docker')],
  }
}

/** The fields that the API server records for a writer. */
function written(manager: string) {
  const fields = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`f:field-${index}`, { 'f:part': {} }]))
  return [{ manager, operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': fields } }]
}

function eventAbout({ name, uid }: { readonly name: string; readonly uid: string }, namespace: string) {
  return {
    metadata: { name: `${name}.1`, namespace },
    involvedObject: { apiVersion: 'v1', kind: 'Pod', name, namespace, uid },
    reason: 'Started',
    message: 'Started container runner',
    type: 'Normal',
    count: 1,
  }
}
