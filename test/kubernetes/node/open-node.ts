// The real node on which tests run, where scripts/real-node.ts has started one: its API as objects, and its processes.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { createKubernetes } from '../../../src/kubernetes/client.ts'
import { connect } from '../../../src/kubernetes/connect.ts'
import { KubernetesError } from '../../../src/kubernetes/errors.ts'
import { loadKubeconfig } from '../../../src/kubernetes/kubeconfig.ts'
import type { KubeObject, Resource } from '../../../src/kubernetes/types.ts'
import { podLine } from '../../pod-stage.ts'
import { clock, eventually, namespaces, object, pods, random, secrets } from '../client-place.ts'
import { kubeconfig } from '../cluster.ts'
import { liveDoctor } from '../live-doctor.ts'

export type Node = Awaited<ReturnType<typeof openNode>>

/** The kubeconfig of a cluster whose node runs pods; undefined: there is none. */
export const nodeKubeconfig = process.env['DAYFLY_NODE'] === undefined ? undefined : kubeconfig

export const whyNoNode = 'no node runs pods here: npx tsx scripts/real-node.ts npm run test:kubernetes'

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

/** Opens the node before the tests of the surrounding block, and leaves nothing on it behind them. */
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
  /** `dayfly doctor --live`, some hours in the future. */
  const doctor = (...args: readonly string[]) => liveDoctor(folder, kubeconfig, ...args)
  return {
    /** For files of the tests. */
    folder,
    node: (): Node => {
      if (!opened) throw new Error('the node is not open')
      return opened
    },
    doctor,
    /** Plans, confirms, and says both; again while kubelet and controllers still write, for what was planned is then no longer what is there. */
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

async function openNode(kubeconfig: string) {
  const cluster = connect(await loadKubeconfig(kubeconfig), clock)
  const kubernetes = createKubernetes({ transport: cluster.transport, clock, random })
  const resourceOf = (kind: string): Resource => {
    const found = resources.find((each) => each.kind === kind)
    if (!found) throw new Error(`no resource for ${kind}`)
    return found
  }
  const podsIn = async (namespace: string) => (await kubernetes.list(pods, { namespace })).items
  /** Each pod of the namespace as `Running docker=running,started runner=Completed(0)`. */
  const look = async (namespace: string) => (await podsIn(namespace)).map((pod) => podLine(pod))
  const get = async (resource: Resource, namespace: string | undefined, name: string) =>
    kubernetes.get(resource, namespace === undefined ? { name } : { namespace, name }).catch((error: unknown) => {
      if (error instanceof KubernetesError && error.kind === 'not-found') return undefined
      throw error
    })
  const entered: string[] = []
  return {
    kubernetes,
    get,
    /** Leaves none of its namespaces behind, also not on their way out: the doctor looks at all. */
    close: async () => {
      for (const name of entered) await kubernetes.delete(namespaces, { name })
      for (const name of entered) {
        await settle(
          () => get(namespaces, undefined, name),
          (namespace) => namespace === undefined,
        )
      }
      await cluster.close()
    },
    /** A namespace of this name, in which pods are admitted. */
    enter: async (name: string) => {
      entered.push(name)
      await kubernetes.create(namespaces, object('v1', 'Namespace', { name }))
      const account = { ...pods, plural: 'serviceaccounts', kind: 'ServiceAccount' }
      await eventually('pods have an account', () => kubernetes.get(account, { namespace: name, name: 'default' }))
      return name
    },
    /** As it stands in a file, but its images are never pulled: there is no registry. */
    apply: (namespace: string, manifest: object) => {
      const { kind, metadata, ...rest } = JSON.parse(JSON.stringify(manifest, unpulled)) as KubeObject
      return kubernetes.create(resourceOf(kind), { ...rest, kind, metadata: { ...metadata, namespace } })
    },
    podsIn,
    look,
    /** Waits until the namespace has exactly these pods, and says what it had last if it never does. */
    becomes: (namespace: string, ...lines: readonly RegExp[]) =>
      settle(
        () => look(namespace),
        (pods) => pods.length === lines.length && lines.every((line, index) => line.test(pods[index] ?? '')),
      ),
  }
}

/** Reads again until it is as it should be; tests run beside each other, and each waits for its own. */
export async function settle<T>(read: () => Promise<T>, isThere: (value: T) => boolean, ms = 90_000): Promise<T> {
  const end = clock.now() + ms
  for (;;) {
    const value = await read()
    if (isThere(value)) return value
    if (clock.now() > end) throw new Error(`not within ${ms} ms, but ${JSON.stringify(value)?.slice(0, 2000)}`)
    await clock.sleep(250)
  }
}

function unpulled(_key: string, value: unknown): unknown {
  const isContainer = typeof value === 'object' && value !== null && 'image' in value && 'name' in value
  return isContainer ? { ...value, imagePullPolicy: 'IfNotPresent' } : value
}

/** The processes of the node whose command line matches; this one sees them all. */
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
    // It has ended in between.
    return ''
  }
}
