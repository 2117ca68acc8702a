// A running embedded cluster with ARC's kinds, filled only through its API, and the doctor's findings in it.
import type { Kind } from '@dayfly/cluster/api/kind'
import { openPodStage, type PodStageOptions } from '@dayfly/cluster/pod-stage.fixture'
import type { StoredObject } from '@dayfly/cluster/store/object'
import { runRules } from '@dayfly/doctor/engine/run-rules'
import { arcKinds, definitionOf, type Metadata } from '@dayfly/doctor/live/doctor-cluster.fixture'
import { type GatherOptions, gatherLive } from '@dayfly/doctor/live/gather'
import { catalogue } from '@dayfly/doctor/rules/catalogue'
import { jsonBody, type Method, noBody } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { createInquiry } from '@dayfly/kubernetes/inquiry'
import { createPodLogs } from '@dayfly/kubernetes/pod-logs'
import { expect } from 'vitest'

export type LiveStage = Awaited<ReturnType<typeof openLiveStage>>

export type Manifest = {
  readonly apiVersion?: string
  readonly kind: string
  readonly metadata: Metadata
  readonly [field: string]: unknown
}

/** `logs`: also reads runners' logs. */
type Look = Partial<Pick<GatherOptions, 'namespaces' | 'earlier' | 'account'>> & { readonly logs?: true }

export async function openLiveStage(options: PodStageOptions = {}) {
  const stage = openPodStage(options)
  const { cluster, clock, registry } = stage
  const user = cluster.transport('user')
  const call = async (method: Method, path: string, body: object | undefined, query: Record<string, string> = {}) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const headers = { 'content-type': type }
    const answer = await user({ method, path, query, headers, body: body ? jsonBody(body) : noBody, expect: 'whole' })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return (answer.body.kind === 'json' ? answer.body.value : undefined) as StoredObject
  }
  const kindOf = (name: string): Kind => {
    const kind = registry.kinds.all().find((one) => one.kind === name)
    if (!kind) throw new Error(`no kind ${name}`)
    return kind
  }
  const pathOf = (name: string, namespace = 'default') => {
    const { group, versions, plural, namespaced } = kindOf(name)
    const root = `${group === '' ? '/api' : `/apis/${group}`}/${versions[0]?.name}`
    return `${root}${namespaced ? `/namespaces/${namespace}` : ''}/${plural}`
  }
  /** A POST that refuses unknown fields. */
  const create = (object: Manifest) =>
    call('POST', pathOf(object.kind, object.metadata.namespace), object, { fieldValidation: 'Strict' })
  /** A merge patch of the object. For a kind with a status sub-resource, `{ status }` goes there. */
  const patch = (kind: string, name: string, body: object) => {
    const isStatus = 'status' in body && kindOf(kind).subresources.includes('status')
    return call('PATCH', `${pathOf(kind)}/${name}${isStatus ? '/status' : ''}`, body)
  }
  const remove = (kind: string, name: string, how: object = {}) => call('DELETE', `${pathOf(kind)}/${name}`, how)
  /** Returns all findings, as `POD101 Pod name`. */
  const look = async ({ logs, ...more }: Look = {}) => {
    const connection = { transport: cluster.transport('doctor'), clock, random: seededRandom(1) }
    const kubernetes = createKubernetes(connection)
    const read = logs ? { logs: createPodLogs(connection) } : {}
    const facts = await gatherLive({ kubernetes, inquiry: createInquiry(connection), clock, ...more, ...read })
    expect(facts.live.unreadable).toEqual({})
    const { hits } = runRules(facts, catalogue)
    const found = hits.map(({ rule, hit }) => `${rule.code} ${hit.object.kind} ${hit.object.name}`)
    return { found: found.sort(), messages: hits.map(({ hit }) => hit.message), facts }
  }
  for (const [kind, resource] of Object.entries(arcKinds)) await create(definitionOf(kind, resource))
  return { ...stage, create, patch, remove, look }
}

/** An ordinary container that runs until it receives a signal. */
export const work = { name: 'work', image: 'busybox:1' }

/** A container that makes its pod a runner's. */
export const runner = {
  name: 'runner',
  image: 'ghcr.io/actions/actions-runner:2.330.0',
  command: ['/home/runner/run.sh'],
}

export const docker = {
  name: 'docker',
  image: 'docker:28-dind',
  securityContext: { privileged: true },
  volumeMounts: [{ name: 'data', mountPath: '/var/lib/docker' }],
}

/** Docker's data, with a limit. */
export const data = { name: 'data', emptyDir: { sizeLimit: '10Gi' } }

export function sidecar(container: object): object {
  return { ...container, restartPolicy: 'Always' }
}

/** A pod of the default namespace that never restarts, unless the spec changes that. */
export function pod(name: string, spec: object, metadata: Partial<Metadata> = {}): Manifest {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, ...metadata }, spec: { restartPolicy: 'Never', ...spec } }
}

/** A Job that is cleaned up and does not retry, unless the fields change that. */
export function job(name: string, spec: object, fields: object = {}): Manifest {
  const template = { spec: { restartPolicy: 'Never', ...spec } }
  const tidy = { ttlSecondsAfterFinished: 7200, backoffLimit: 0, activeDeadlineSeconds: 36_000 }
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec: { ...tidy, template, ...fields } }
}

/** A node with a foreign kubelet: its pods do not run, and the test writes their statuses. */
export function foreignNode(name: string, kubeletVersion: string): Manifest {
  const nodeInfo = {
    architecture: 'amd64',
    bootID: '',
    containerRuntimeVersion: 'containerd://2.1.0',
    kernelVersion: '6.1',
    kubeProxyVersion: '',
    kubeletVersion,
    machineID: '',
    operatingSystem: 'linux',
    osImage: 'Linux',
    systemUUID: '',
  }
  return { apiVersion: 'v1', kind: 'Node', metadata: { name }, status: { nodeInfo } }
}

export function arc(kind: keyof typeof arcKinds, metadata: Metadata, fields: object = {}): Manifest {
  return { apiVersion: 'actions.github.com/v1alpha1', kind, metadata, ...fields }
}
