// The runner sets of the benchmark, as objects and as the controller reads them.
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import type { KubeObject, Resource } from '@dayfly/kubernetes/types'
import { parseRunnerSet } from '@dayfly/runner-set/config/runner-set'
import { runnerSetApiVersion } from '@dayfly/runner-set/model/api'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'
import type { SetStatus } from '@dayfly/runner-set/model/status'

const runnerSets: Resource = {
  group: 'dayfly.dev',
  version: 'v1alpha1',
  plural: 'runnersets',
  kind: 'RunnerSet',
  namespaced: true,
}
const secrets: Resource = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true }
const credential = 'github'

export type SetOptions = {
  readonly namespace: string
  readonly name: string
  readonly url: string
  readonly max: number
}

/** The template has resources, a work volume and variables, as a usual runner has. A pod of it has 1.6 kB of JSON. */
function setObject({ namespace, name, url, max }: SetOptions): KubeObject {
  const runner = {
    name: 'runner',
    resources: { requests: { cpu: '1', memory: '2Gi' }, limits: { memory: '4Gi' } },
    env: ['RUNNER_TOOL_CACHE', 'RUNNER_DEBUG', 'NODE_OPTIONS'].map((key) => ({ name: key, value: '/opt/value' })),
    volumeMounts: [{ name: 'work', mountPath: '/home/runner/_work' }],
  }
  const spec = { containers: [runner], volumes: [{ name: 'work', emptyDir: {} }] }
  return {
    apiVersion: runnerSetApiVersion,
    kind: 'RunnerSet',
    metadata: { namespace, name },
    spec: { github: { url, credentials: { secret: credential } }, scale: { max }, template: { spec } },
  }
}

/** Returns the set as the controller would read it, for the plain loop. */
export function parsedSet(options: SetOptions): RunnerSet {
  const parsed = parseRunnerSet(setObject(options))
  if (!parsed.ok) throw new Error('the set of the benchmark is not valid')
  return { ...parsed.set, uid: '00000000-0000-4000-8000-000000000000' }
}

export async function createSet(admin: Kubernetes, options: SetOptions): Promise<void> {
  await admin.create(runnerSets, setObject(options))
}

/** Creates or replaces the Secret with the credential at the forge. */
export async function createCredential(admin: Kubernetes, namespace: string, token: string): Promise<void> {
  const metadata = { namespace, name: credential }
  await admin.delete(secrets, metadata)
  await admin.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { github_token: token } })
}

/** Reads the status of a set every 100 ms until it fulfils the condition. Returns the number of reads. */
export async function untilStatus(
  admin: Kubernetes,
  at: { readonly namespace: string; readonly name: string },
  fulfilled: (status: Partial<SetStatus>) => boolean,
): Promise<number> {
  const deadline = performance.now() + 180_000
  for (let reads = 1; ; reads++) {
    const { status = {} } = await admin.get(runnerSets, at)
    if (fulfilled(status as Partial<SetStatus>)) return reads
    if (performance.now() > deadline) throw new Error(`the set ${at.name} stays at ${JSON.stringify(status)}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

export function isReady({ conditions = [] }: Partial<SetStatus>): boolean {
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
}

export async function readUid(
  admin: Kubernetes,
  at: { readonly namespace: string; readonly name: string },
): Promise<string> {
  return (await admin.get(runnerSets, at)).metadata.uid ?? ''
}

export async function deleteSet(
  admin: Kubernetes,
  at: { readonly namespace: string; readonly name: string },
): Promise<void> {
  await admin.delete(runnerSets, at)
  for (;;) {
    try {
      await admin.get(runnerSets, at)
    } catch (error) {
      if (error instanceof KubernetesError && error.kind === 'not-found') return
      throw error
    }
  }
}
