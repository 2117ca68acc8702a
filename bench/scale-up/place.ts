// The place of the benchmark: a real API server without scheduler and controllers, and a ServiceAccount with exactly the controller's rights.
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { kubeconfigText } from '@dayfly/cluster/wire/kubeconfig'
import { leaseRights, type Right, runnerRights } from '@dayfly/controller/rights'
import { jsonBody, type Transport } from '@dayfly/kit/http'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { connect } from '@dayfly/kubernetes/connect'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import { loadKubeconfig } from '@dayfly/kubernetes/kubeconfig'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import type { KubeObject, Resource } from '@dayfly/kubernetes/types'
import { runnerSetCrd } from '@dayfly/runner-set/config/crd'
import { buildControlPlane } from '../../scripts/control-plane/build.ts'
import { type ControlPlane, startControlPlane } from '../../scripts/control-plane/start.ts'

export type Place = {
  /** A client of system:masters, to which neither RBAC nor Priority and Fairness applies. */
  readonly admin: Kubernetes
  readonly transport: Transport
  /** The path of the kubeconfig with the controller's rights. The plain loop uses the same. */
  readonly kubeconfig: string
  readonly plane: ControlPlane
  close(): Promise<void>
}

/** The namespace of the runner sets, and that of the plain loop, whose pods no controller sees. */
export const benchNamespace = 'bench'
export const loopNamespace = 'loop'

const clock = systemClock()
const core = { group: '', version: 'v1' }
const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' }
const namespaces: Resource = { ...core, plural: 'namespaces', kind: 'Namespace', namespaced: false }
const accounts: Resource = { ...core, plural: 'serviceaccounts', kind: 'ServiceAccount', namespaced: true }
const roles: Resource = { ...rbac, plural: 'clusterroles', kind: 'ClusterRole', namespaced: false }
const bindings: Resource = { ...rbac, plural: 'clusterrolebindings', kind: 'ClusterRoleBinding', namespaced: false }
const crds: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
}

/** @param folder the folder for the kubeconfig */
export async function openPlace(folder: string, signal: AbortSignal): Promise<Place> {
  const built = await buildControlPlane(signal)
  if (built.is === 'missing') throw new Error(`no API server: ${built.why}`)
  const plane = await startControlPlane(built.program, signal, { workers: 'none' })
  try {
    const access = await loadKubeconfig(plane.kubeconfig)
    const connection = connect(access, clock)
    const { transport } = connection
    const admin = createKubernetes({ transport, clock, random: systemRandom(), userAgent: 'dayfly-bench' })
    await setUp(admin)
    const kubeconfig = path.join(folder, 'kubeconfig')
    const token = await tokenOf(transport)
    const text = kubeconfigText({ server: access.server, ca: access.tls.ca ?? '', user: 'dayfly', token })
    await writeFile(kubeconfig, text, { mode: 0o600 })
    const close = async () => {
      await connection.close()
      await plane.close()
    }
    return { admin, transport, kubeconfig, plane, close }
  } catch (error) {
    await plane.close()
    throw error
  }
}

async function setUp(admin: Kubernetes): Promise<void> {
  await admin.create(crds, runnerSetCrd() as unknown as KubeObject)
  for (const namespace of [benchNamespace, loopNamespace]) {
    await admin.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
    await createAccount(admin, namespace, 'default')
  }
  await createAccount(admin, benchNamespace, 'dayfly')
  const name = 'dayfly-controller'
  const apiVersion = `${rbac.group}/${rbac.version}`
  await admin.create(roles, {
    apiVersion,
    kind: 'ClusterRole',
    metadata: { name },
    rules: [...runnerRights, ...leaseRights].map(ruleOf),
  })
  await admin.create(bindings, {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: rbac.group, kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', name: 'dayfly', namespace: benchNamespace }],
  })
  await served(admin)
}

async function createAccount(admin: Kubernetes, namespace: string, name: string): Promise<void> {
  await admin.create(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name } })
}

function ruleOf({ resource: { group, plural }, subresource, verbs }: Right): object {
  return { apiGroups: [group], resources: [subresource ? `${plural}/${subresource}` : plural], verbs }
}

/** Waits until the API server serves the new kind. */
async function served(admin: Kubernetes): Promise<void> {
  const { group, versions, names } = runnerSetCrd().spec
  const version = versions[0]?.name ?? ''
  const sets: Resource = { group, version, plural: names.plural, kind: names.kind, namespaced: true }
  for (;;) {
    try {
      await admin.list(sets)
      return
    } catch (error) {
      if (!(error instanceof KubernetesError) || error.kind !== 'not-found') throw error
      await clock.sleep(100)
    }
  }
}

/** Requests a token of the controller's ServiceAccount. */
async function tokenOf(transport: Transport): Promise<string> {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 36_000 } }
  const answer = await transport({
    method: 'POST',
    path: `/api/v1/namespaces/${benchNamespace}/serviceaccounts/dayfly/token`,
    query: {},
    headers: {},
    body: jsonBody(body),
    expect: 'whole',
  })
  const { status } = (answer.body.kind === 'json' ? answer.body.value : {}) as { readonly status?: { token?: string } }
  if (status?.token === undefined) throw new Error(`no token: ${JSON.stringify(answer.body)}`)
  return status.token
}
