// Opens the real node that scripts/real-node.ts has started: a client for its API, and its processes.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { podLine } from '@dayfly/cluster/pod-stage.fixture'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { connect } from '@dayfly/kubernetes/connect'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import { loadKubeconfig } from '@dayfly/kubernetes/kubeconfig'
import type { KubeObject, Resource } from '@dayfly/kubernetes/types'
import { afterAll, beforeAll } from 'vitest'
import { clock, eventually, namespaces, object, pods, random, secrets } from '../client-place.ts'
import { kubeconfig } from '../cluster.ts'
import { liveDoctor } from '../live-doctor.ts'

export type Node = Awaited<ReturnType<typeof openNode>>

/** The kubeconfig of a cluster whose node runs pods. Undefined if there is none. */
export const nodeKubeconfig = process.env['DAYFLY_NODE'] === undefined ? undefined : kubeconfig

export const whyNoNode = 'there is no node that runs pods: use npx tsx scripts/real-node.ts npm run test:kubernetes'

export const jobs: Resource = { group: 'batch', version: 'v1', plural: 'jobs', kind: 'Job', namespaced: true }
const apps = (plural: string, kind: string): Resource => ({ ...jobs, group: 'apps', plural, kind })
const resources: readonly Resource[] = [
  pods,
  secrets,
  jobs,
  { ...jobs, plural: 'cronjobs', kind: 'CronJob' },
  apps('deployments', 'Deployment'),
  apps('daemonsets', 'DaemonSet'),
]

/** Opens the node before the tests of the surrounding block, and removes everything from it after them. */
export function nodePlace(kubeconfig: string) {
  const folder = mkdtempSync(path.join(tmpdir(), 'doctor-node-'))
  let opened: Node | undefined
  beforeAll(async () => {
    opened = await openNode(kubeconfig)
  })
  afterAll(async () => {
    await opened?.close()
    rmSync(folder, { recursive: true })
  })
  /** Runs `dayfly doctor --live` with a clock that is two hours ahead. */
  const doctor = (...args: readonly string[]) => liveDoctor(folder, kubeconfig, ...args)
  return {
    /** A folder for files of the tests. */
    folder,
    node: (): Node => {
      if (!opened) throw new Error('the node is not open')
      return opened
    },
    doctor,
    /** Plans and confirms a repair, and resolves with both outputs. Repeats this while the plan is outdated, because kubelet and controllers still write. */
    repair: (...args: readonly string[]) =>
      settle(
        async () => {
          const planned = (await doctor('--fix', ...args)).stderr
          const digest = /--confirm (\w+)/.exec(planned)?.[1] ?? 'none'
          return { planned, done: (await doctor('--fix', ...args, '--confirm', digest)).stderr }
        },
        ({ done }) => !done.includes('refused: the plan is no longer the one'),
      ),
  }
}

export async function openNode(kubeconfig: string) {
  const cluster = connect(await loadKubeconfig(kubeconfig), clock)
  const kubernetes = createKubernetes({ transport: cluster.transport, clock, random })
  const resourceOf = (kind: string): Resource => {
    const found = resources.find((each) => each.kind === kind)
    if (!found) throw new Error(`no resource for ${kind}`)
    return found
  }
  const podsIn = async (namespace: string) => (await kubernetes.list(pods, { namespace })).items
  /** Describes each pod of the namespace, for example `Running docker=running,started runner=Completed(0)`. */
  const look = async (namespace: string) => (await podsIn(namespace)).map((pod) => podLine(pod))
  const get = async (resource: Resource, namespace: string | undefined, name: string) =>
    kubernetes.get(resource, namespace === undefined ? { name } : { namespace, name }).catch((error: unknown) => {
      if (error instanceof KubernetesError && error.kind === 'not-found') return undefined
      throw error
    })
  const entered: string[] = []
  return {
    kubernetes,
    transport: cluster.transport,
    get,
    /** Its namespaces. */
    entered: entered as readonly string[],
    /** Deletes its namespaces and waits until they are gone, because the doctor reads all namespaces. */
    close: async () => {
      for (const name of entered) {
        if (await get(namespaces, undefined, name)) await kubernetes.delete(namespaces, { name })
      }
      for (const name of entered) {
        await settle(
          () => get(namespaces, undefined, name),
          (namespace) => namespace === undefined,
          240_000,
        )
      }
      await cluster.close()
    },
    /** Creates a namespace and waits until it accepts pods. */
    enter: async (name: string, labels: Readonly<Record<string, string>> = {}) => {
      entered.push(name)
      await kubernetes.create(namespaces, object('v1', 'Namespace', { name, labels }))
      const account = { ...pods, plural: 'serviceaccounts', kind: 'ServiceAccount' }
      await eventually('pods have an account', () => kubernetes.get(account, { namespace: name, name: 'default' }))
      return name
    },
    /** Creates the manifest's object, but with images that are never pulled, because there is no registry. */
    apply: (namespace: string, manifest: object) => {
      const { kind, metadata, ...rest } = JSON.parse(JSON.stringify(manifest, unpulled)) as KubeObject
      return kubernetes.create(resourceOf(kind), { ...rest, kind, metadata: { ...metadata, namespace } })
    },
    podsIn,
    look,
    /** Waits until the namespace has exactly these pods. Rejects with its last pods. */
    becomes: (namespace: string, ...lines: readonly RegExp[]) =>
      settle(
        () => look(namespace),
        (pods) => pods.length === lines.length && lines.every((line, index) => line.test(pods[index] ?? '')),
      ),
  }
}

/** Reads until the value is as expected. Throws with the last value after `ms`. */
export async function settle<T>(read: () => Promise<T>, isThere: (value: T) => boolean, ms = 90_000): Promise<T> {
  const end = clock.now() + ms
  for (;;) {
    const value = await read()
    if (isThere(value)) return value
    if (clock.now() > end)
      throw new Error(`not within ${ms} ms, but ${JSON.stringify(value, statusFirst)?.slice(0, 4_000)}`)
    await clock.sleep(250)
  }
}

/** The message of a failure is cut, so an object begins with what decides, and lacks its longest field. */
function statusFirst(key: string, value: unknown): unknown {
  if (key === 'managedFields') return undefined
  if (typeof value !== 'object' || value === null || !('metadata' in value) || !('status' in value)) return value
  const { status, ...rest } = value
  return { status, ...rest }
}

function unpulled(_key: string, value: unknown): unknown {
  const isContainer = typeof value === 'object' && value !== null && 'image' in value && 'name' in value
  return isContainer ? { ...value, imagePullPolicy: 'IfNotPresent' } : value
}

/** Returns the node's processes with a matching command line. The test runs in the node's PID namespace, so it sees all of them. */
export function processesOf(pattern: RegExp): readonly number[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name)
    return pid > 0 && pid !== process.pid && pattern.test(commandOf(pid)) ? [pid] : []
  })
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    // The process has ended in the meantime.
    return ''
  }
}
