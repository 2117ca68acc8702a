// The namespace in which the client's test suite runs, and the functions that its tests share.
import type { Transport } from '@dayfly/kit/http'
import { randomName } from '@dayfly/kit/ids'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { KubernetesError, type KubernetesErrorKind } from '@dayfly/kubernetes/errors'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import { runReflector } from '@dayfly/kubernetes/reflector'
import type { KubeObject, Resource } from '@dayfly/kubernetes/types'
import { afterAll, beforeAll, expect } from 'vitest'

export type Cluster = { readonly transport: Transport; close(): Promise<void> }

export type Place = ReturnType<typeof createPlace>

const core = (plural: string, kind: string, namespaced = true): Resource => ({
  group: '',
  version: 'v1',
  plural,
  kind,
  namespaced,
})
export const namespaces = core('namespaces', 'Namespace', false)
export const configMaps = core('configmaps', 'ConfigMap')
export const secrets = core('secrets', 'Secret')
export const pods = core('pods', 'Pod')
export const quotas = core('resourcequotas', 'ResourceQuota')
export const accounts = core('serviceaccounts', 'ServiceAccount')
export const crds: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
}

export const clock = systemClock()
export const random = systemRandom()

/** Opens the cluster before the tests of the surrounding block, and removes everything from it after them. */
export function createPlace(open: () => Promise<Cluster>) {
  const run = randomName(random, 6)
  const namespace = `dayfly-client-${run}`
  let opened: Cluster | undefined
  let client: Kubernetes | undefined
  const there = <T>(part: T | undefined): T => {
    if (part === undefined) throw new Error('the cluster is not open')
    return part
  }
  const transport: Transport = (request) => there(opened).transport(request)
  const kubernetes: Kubernetes = {
    get: (...call) => there(client).get(...call),
    list: (...call) => there(client).list(...call),
    create: (...call) => there(client).create(...call),
    replace: (...call) => there(client).replace(...call),
    patch: (...call) => there(client).patch(...call),
    delete: (...call) => there(client).delete(...call),
  }
  beforeAll(async () => {
    opened = await open()
    client = createKubernetes({ transport, clock, random })
    await kubernetes.create(namespaces, object('v1', 'Namespace', { name: namespace }))
  })
  afterAll(async () => {
    await client?.delete(namespaces, { name: namespace })
    await opened?.close()
  })

  const named = (name: string) => ({ namespace, name })
  const configMap = (name: string, data: Record<string, string> = {}, more: object = {}) =>
    object('v1', 'ConfigMap', { ...named(name), ...more }, { data })
  const mirror = (resource: Resource, labelSelector?: string, from = transport) => {
    const objects = new Map<string, KubeObject>()
    const seen = { replaced: 0, progressed: 0, stale: [] as string[] }
    const until = new AbortController()
    const done = runReflector(
      {
        transport: from,
        resource,
        namespace,
        labelSelector,
        project: (item) => item,
        clock,
        random,
        sink: {
          replaced: (items) => {
            objects.clear()
            for (const item of items) objects.set(item.metadata.name, item)
            seen.replaced++
          },
          changed: (item) => void objects.set(item.metadata.name, item),
          removed: (item) => void objects.delete(item.metadata.name),
          progressed: () => void seen.progressed++,
          stale: (_, why) => void seen.stale.push(why),
        },
      },
      until.signal,
    )
    const stop = async () => {
      until.abort(new Error('over'))
      await done
    }
    return { objects, seen, stop, version: (name: string) => objects.get(name)?.metadata.resourceVersion }
  }
  return { run, namespace, kubernetes, transport, named, configMap, mirror }
}

export type Condition = { readonly type: string; readonly reason?: string }

export function object(
  apiVersion: string,
  kind: string,
  metadata: KubeObject['metadata'],
  fields: object = {},
): KubeObject {
  return { apiVersion, kind, metadata, ...fields }
}

export async function refusal(call: Promise<unknown>, kind: KubernetesErrorKind): Promise<KubernetesError> {
  const error: unknown = await call.then(
    (value) => new Error(`expected ${kind}, but it was accepted: ${JSON.stringify(value)?.slice(0, 200)}`),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof KubernetesError)) throw error
  expect({ kind: error.kind, message: error.message }).toEqual({ kind, message: error.message })
  return error
}

export async function isAbsent(get: Promise<KubeObject>): Promise<boolean> {
  return get.then(
    () => false,
    (error: unknown) => {
      if (error instanceof KubernetesError && error.kind === 'not-found') return true
      throw error
    },
  )
}

/** Waits until the condition holds. An error of the API server counts as "not yet". */
export async function eventually(what: string, condition: () => Promise<unknown>, ms = 10_000): Promise<void> {
  const end = clock.now() + ms
  let last: unknown
  while (clock.now() < end) {
    try {
      if (await condition()) return
      last = undefined
    } catch (error) {
      if (!(error instanceof KubernetesError)) throw error
      last = error
    }
    await clock.sleep(30)
  }
  throw new Error(`not within ${ms} ms: ${what}`, { cause: last })
}
