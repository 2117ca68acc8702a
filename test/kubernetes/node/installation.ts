// Installs Dayfly on the real node as an operator does: images from their archives, the chart by helm, Secrets and RunnerSets by the API.
import path from 'node:path'
import { runnerSets } from '@dayfly/controller/resources'
import { listAt, textAt } from '@dayfly/kit/read-json'
import type { KubeObject, Resource } from '@dayfly/kubernetes/types'
import { runnerSetApiVersion } from '@dayfly/runner-set/model/api'
import { afterAll, beforeAll } from 'vitest'
import { clock, crds, object, pods, secrets } from '../client-place.ts'
import { importImages, root, runnerImage } from './images.ts'
import { type Node, openNode, settle } from './open-node.ts'
import { createOperator } from './operator.ts'
import { type OutsideForge, openForge } from './outside-forge.ts'

export type Installation = Awaited<ReturnType<typeof install>>

type Plan = {
  /** The namespace of the release, and the prefix of the other namespaces of the test file. */
  readonly name: string
  readonly latencyMs: number
  /** The values of the chart. */
  readonly values?: object
}

export const chart = path.join(root, 'deploy/chart')
/** The name of the Secret with the forge's credential. */
const credentials = 'github'
/** Test files that run side by side share it: test/kubernetes/shared-definition.ts. */
const definition = 'runnersets.dayfly.dev'
const leases: Resource = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  namespaced: true,
}

/** Opens node and forge and installs the chart before the tests of the surrounding block. Removes everything after them. */
export function installed(kubeconfig: string, plan: Plan) {
  let opened: Installation | undefined
  beforeAll(async () => {
    opened = await install(kubeconfig, plan)
  })
  afterAll(async () => await opened?.close())
  return (): Installation => {
    if (!opened) throw new Error('the installation is not open')
    return opened
  }
}

async function install(kubeconfig: string, { name, latencyMs, values = {} }: Plan) {
  const node = await openNode(kubeconfig)
  const forge = await openForge(latencyMs)
  const operator = createOperator(kubeconfig)
  await importImages()
  const system = await node.enter(name, { 'pod-security.kubernetes.io/enforce': 'restricted' })
  const watched = await node.enter(`${name}-runners`)
  await createCredentials(node, watched, forge)
  const isShared = (await node.get(crds, undefined, definition)) !== undefined
  const all = { watchNamespaces: [watched], ...(isShared ? { crds: { install: false } } : {}), ...values }
  const installedAt = clock.now()
  const helm = ['install', 'dayfly', chart, '-n', system, '--wait', '--timeout', '90s']
  await operator.helm(...helm, ...operator.values(all))
  const controllers = async () => (await node.kubernetes.list(pods, { namespace: system })).items
  return {
    node,
    forge,
    operator,
    installedAt,
    /** The namespace of the controller. */
    system,
    /** The namespace that the controller serves. */
    watched,
    controllers,
    /** Returns the process that leads and the name of its pod, or undefined if the Lease is free. A pod may have a new process. */
    leader: async () => {
      const { items } = await node.kubernetes.list(leases, { namespace: system })
      const identity = textAt(items[0], 'spec', 'holderIdentity')
      return identity ? { identity, pod: identity.split('_')[0] } : undefined
    },
    /** Returns the log lines of all controllers. */
    log: async () => {
      const each = (await controllers()).map(({ metadata }) => operator.kubectl('logs', '-n', system, metadata.name))
      return (await Promise.all(each)).join('').split('\n').filter(Boolean)
    },
    createSet: async (set: KubeObject) => (await node.kubernetes.create(runnerSets, set)).object,
    /** Removes the release and the sets, and the definition of RunnerSet, which helm keeps, if it came with this installation. */
    close: async () => {
      const { items } = await node.kubernetes.list(runnerSets).catch(() => ({ items: [] }))
      for (const { metadata } of items)
        if (node.entered.includes(metadata.namespace ?? ''))
          await node.kubernetes.delete(runnerSets, metadata).catch(() => {})
      await operator.helm('uninstall', 'dayfly', '-n', system, '--ignore-not-found', '--wait', '--timeout', '90s')
      if (!isShared) await node.kubernetes.delete(crds, { name: definition }).catch(() => {})
      await node.close()
      await forge.close()
      operator.close()
    },
  }
}

export async function createCredentials(node: Node, namespace: string, { token }: OutsideForge): Promise<void> {
  const secret = object('v1', 'Secret', { name: credentials, namespace }, { stringData: { github_token: token } })
  await node.kubernetes.create(secrets, secret)
}

/** Returns a RunnerSet with the small runner. @param spec replaces parts of the spec @param pod replaces parts of the template's pod */
export function runnerSet(
  namespace: string,
  name: string,
  { url }: OutsideForge,
  spec: object = {},
  pod: object = {},
): KubeObject {
  const template = { spec: { containers: [{ name: 'runner', image: runnerImage }], ...pod } }
  const github = { url, plainHttp: true, credentials: { secret: credentials } }
  const all = { github, scale: { max: 10 }, keepFailed: '0s', template, ...spec }
  return object(runnerSetApiVersion, 'RunnerSet', { name, namespace }, { spec: all })
}

/** Returns the condition of a set as `Status/Reason`. */
export function conditionOf(set: KubeObject | undefined, type: string): string | undefined {
  const condition = listAt(set, 'status', 'conditions').find((each) => textAt(each, 'type') === type)
  return condition === undefined ? undefined : `${textAt(condition, 'status')}/${textAt(condition, 'reason')}`
}

/** Waits until the set reports that it can start runners. */
export function ready({ node }: Pick<Installation, 'node'>, namespace: string, name: string, ms = 30_000) {
  return settle(
    () => node.get(runnerSets, namespace, name),
    (set) => conditionOf(set, 'Ready') === 'True/Ready',
    ms,
  )
}
