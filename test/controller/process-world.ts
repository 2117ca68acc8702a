// The built controller as processes of its own, against an embedded cluster and an emulated GitHub of this process, over sockets with latency.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createCluster } from '@dayfly/cluster/cluster'
import { createProcessRuntime } from '@dayfly/cluster/runtime/process/process-runtime'
import { kubeconfigText } from '@dayfly/cluster/wire/kubeconfig'
import { leaseRights, runnerRights, usageRights } from '@dayfly/controller/rights'
import { createGitHubEmulator } from '@dayfly/forge-emulators/github/emulator'
import { scriptJob } from '@dayfly/forge-emulators/github/script-job'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import { runnerSetCrd } from '@dayfly/runner-set/config/crd'
import { type Cli, createWorld, until } from '../cli.ts'
import { openSlowGate } from './slow-gate.ts'

export const forgeToken = 'ghp_thisTokenMustNeverBePrinted00000000'
export const accountToken = 'account-token-that-must-never-be-printed'
const account = 'system:serviceaccount:ci:dayfly'
const runner = path.resolve('packages/dayfly/dist/runner.js')

/** Reads its credential as the official image does. */
const runnerCommand = [
  '/bin/sh',
  '-c',
  `ACTIONS_RUNNER_INPUT_JITCONFIG="$(cat "\${DAYFLY_ROOT:-}/run/dayfly/credential")" exec '${process.execPath}' '${runner}'`,
]

const rules = [...runnerRights, ...usageRights, ...leaseRights].map(
  ({ resource: { group, plural }, subresource, verbs }) => ({
    apiGroups: [group],
    resources: [subresource ? `${plural}/${subresource}` : plural],
    verbs,
  }),
)

export type ProcessWorld = Awaited<ReturnType<typeof openProcessWorld>>

/**
 * The cluster of controllers that run as processes, without a forge.
 *
 * @param apiMs the latency of the API server
 * @param behindMs how much the clock of the cluster is behind that of the controllers
 */
export async function openProcessWorld(apiMs: number, behindMs = 0) {
  const world = createWorld()
  const own = path.join(world.directory, 'own')
  mkdirSync(own)
  const machine = systemClock()
  const clock = { ...machine, now: () => machine.now() - behindMs }
  const random = systemRandom()
  const environment = { PATH: process.env['PATH'] ?? '' }
  const dataDirectory = path.join(own, 'cluster')
  const runtime = createProcessRuntime({ dataDirectory, clock, environment, images: {} })
  const tokens = new Map([[accountToken, account]])
  const cluster = createCluster({ clock, random, runtime, users: tokens })
  const endpoint = await cluster.listen()
  const api = await openSlowGate(endpoint.port, apiMs)
  const { registry } = cluster
  const kubeconfig = path.join(own, 'kubeconfig')
  const access = { server: `https://127.0.0.1:${api.port}`, ca: endpoint.ca, user: 'dayfly' }
  const writeKubeconfig = (file: string, user: { readonly token: string } | { readonly tokenFile: string }) => {
    const text = kubeconfigText({ ...access, token: '@' }).replace('namespace: default', 'namespace: ci')
    writeFileSync(file, text.replace('token: "@"', Object.entries(user).join('').replace(',', ': ')))
    return file
  }
  writeKubeconfig(kubeconfig, { token: accountToken })
  registry.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ci' } })
  return {
    clock,
    random,
    own,
    registry,
    api,
    tokens,
    kubeconfig,
    writeKubeconfig,
    addSecret: (name: string, entries: Readonly<Record<string, string>>) =>
      registry.create('secrets', {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace: 'ci' },
        data: encoded(entries),
      }),
    /** Installs the custom kind and the rights. */
    installKind: () => {
      registry.create('customresourcedefinitions.apiextensions.k8s.io', runnerSetCrd())
      grant(registry)
    },
    start: (...args: readonly string[]) => startController(world.start, kubeconfig, args),
    /** Starts another command on the cluster. */
    cli: (...args: readonly string[]) => world.start(...args, '--kubeconfig', kubeconfig),
    /** @param closeForge runs between the end of the cluster and the check for leftovers */
    close: async (closeForge: () => Promise<void>) => {
      for (const line of world.processes()) if (/dayfly\.js.*controller/.test(line)) kill(line)
      await api.close()
      await cluster.stop()
      await closeForge()
      world.end()
    },
  }
}

/** The `data` of a Secret. */
export function encoded(entries: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(entries).map(([key, value]) => [key, Buffer.from(value).toString('base64')]))
}

export type ControllerWorld = Awaited<ReturnType<typeof openControllerWorld>>

export async function openControllerWorld({ apiMs = 50, forgeMs = 50, behindMs = 0 } = {}) {
  const world = await openProcessWorld(apiMs, behindMs)
  const { clock, random, own, registry, api, tokens, writeKubeconfig, start, cli } = world
  const emulator = createGitHubEmulator({ clock, random, tokens: [forgeToken], knobs: { latencyMs: forgeMs } })
  const forge = await emulator.listen(0)
  world.addSecret('github', { github_token: forgeToken })
  return {
    own,
    registry,
    api,
    emulator,
    tokens,
    writeKubeconfig,
    start,
    cli,
    /** Runs another command on the cluster to its end. */
    run: async (...args: readonly string[]) => {
      const started = cli(...args)
      await started.ended
      return { stdout: started.stdout(), stderr: started.stderr() }
    },
    url: `${forge.origin}/acme`,
    /** Installs the custom kind, the rights and one set. */
    install: (max = 20) => {
      world.installKind()
      registry.create('runnersets.dayfly.dev', runnerSet(`${forge.origin}/acme`, max))
    },
    /** Changes fields of the set's spec. */
    change: (spec: object) => {
      const set = registry.get('runnersets.dayfly.dev', 'ci', 'linux')
      if (!set) throw new Error('the set is not installed')
      registry.update('runnersets.dayfly.dev', { ...set, spec: { ...(set['spec'] as object), ...spec } })
    },
    /** Queues jobs that run for `seconds`. */
    queue: (count: number, seconds = 0) =>
      emulator.control.queueJobs(
        Array.from({ length: count }, () => ({
          labels: ['linux'],
          name: 'job',
          message: scriptJob('job', [{ run: `sleep ${seconds}` }]),
        })),
      ),
    close: () =>
      world.close(async () => {
        await forge.close()
        emulator.close()
      }),
  }
}

type Registry = ReturnType<typeof createCluster>['registry']

export function grant(registry: Registry): void {
  const group = 'rbac.authorization.k8s.io'
  const roleRef = { apiGroup: group, kind: 'ClusterRole', name: 'dayfly' }
  const apiVersion = `${group}/v1`
  registry.create(`clusterroles.${group}`, { apiVersion, kind: 'ClusterRole', metadata: { name: 'dayfly' }, rules })
  registry.create(`clusterrolebindings.${group}`, {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'dayfly' },
    roleRef,
    subjects: [{ kind: 'ServiceAccount', namespace: 'ci', name: 'dayfly' }],
  })
}

export function runnerSet(url: string, max: number) {
  return {
    apiVersion: 'dayfly.dev/v1alpha1',
    kind: 'RunnerSet',
    metadata: { name: 'linux', namespace: 'ci' },
    spec: {
      github: { url, credentials: { secret: 'github' } },
      scale: { max },
      template: { spec: { containers: [{ name: 'runner', image: 'any', command: runnerCommand }] } },
    },
  }
}

function kill(line: string): void {
  try {
    process.kill(Number.parseInt(line, 10), 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

export type LogLine = Readonly<Record<string, string | number>>
export type ControllerProcess = ReturnType<typeof startController>

/** Starts `dayfly controller` with a health server on a free port. */
export function startController(start: (...args: string[]) => Cli, kubeconfig: string, args: readonly string[]) {
  const cli = start('controller', '--kubeconfig', kubeconfig, '--health-address', '127.0.0.1:0', ...args)
  const lines = () =>
    cli
      .stdout()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as LogLine)
  const saw = (event: string, ms = 60_000, fields: LogLine = {}) =>
    until(`${event} in the log`, ms, () => {
      const isIt = (line: LogLine) =>
        Object.entries({ event, ...fields }).every(([name, value]) => line[name] === value)
      return lines().find(isIt)
    }).catch((error) => {
      throw new Error(`${error}\n${cli.stdout()}\n${cli.stderr()}`)
    })
  return {
    ...cli,
    lines,
    saw,
    get: async (endpoint: '/healthz' | '/readyz' | '/metrics') => {
      const { address } = await saw('health-listening')
      const answer = await fetch(`${address}${endpoint}`)
      return { status: answer.status, text: await answer.text() }
    },
  }
}
