// The real node as a world of the lab: time is real, and containers are puppets.
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import type { ContainerId } from '@dayfly/cluster/runtime/runtime'
import { textAt } from '@dayfly/kit/read-json'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { connect } from '@dayfly/kubernetes/connect'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import { createInquiry } from '@dayfly/kubernetes/inquiry'
import { loadKubeconfig } from '@dayfly/kubernetes/kubeconfig'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import { makeNamespace } from 'dayfly/lab/objects'
import type { World, WorldOptions } from 'dayfly/lab/world'
import { clock, crds, namespaces, pods, random } from '../client-place.ts'
import { heldIn } from '../incidents.ts'
import { nodeOfRun } from './images.ts'
import { openPuppeteer } from './puppets.ts'

export type NodeWorld = World & { stop(): Promise<void> }

/** The least time limit of each wait, because a busy machine is slow. */
const leastMs = 180_000
/** The part of a long time that really passes. */
const lingerMs = 3_000

export async function openOnNode(kubeconfig: string, options: Omit<WorldOptions, 'profile'>): Promise<NodeWorld> {
  const cluster = connect(await loadKubeconfig(kubeconfig), clock)
  const puppeteer = await openPuppeteer(options.scripts ?? {})
  const over = new AbortController()
  let aheadMs = 0
  const caller = { transport: cluster.transport, clock, random }
  const client = createKubernetes(caller)
  const made = { namespaces: [] as string[], kinds: [] as string[] }
  const kubernetes: Kubernetes = {
    ...client,
    create: (resource, object, more) => {
      if (object.kind === 'Namespace') made.namespaces.push(object.metadata.name)
      if (object.kind === 'CustomResourceDefinition') made.kinds.push(object.metadata.name)
      return client.create(resource, puppeteer.withPuppets(object), more)
    },
  }
  const world: NodeWorld = {
    clock,
    doctorClock: { ...clock, now: () => clock.now() + aheadMs },
    random,
    transport: cluster.transport,
    kubernetes,
    inquiry: createInquiry(caller),
    startedAt: clock.now(),
    over: over.signal,
    pass: async (ms, until) => {
      const end = clock.now() + Math.max(ms, leastMs)
      while (!(await holds(until)) && clock.now() < end) await clock.sleep(250)
    },
    linger: async (ms) => {
      await clock.sleep(lingerMs)
      aheadMs += ms
    },
    during: (_ms, work) => work,
    containers: () => containersIn(made.namespaces),
    endContainer,
    stop: async () => {
      over.abort(new Error('the world has ended'))
      await remove(world, made)
      await puppeteer.close()
      await cluster.close()
    },
  }
  for (const name of options.namespaces ?? []) await makeNamespace(world, name)
  return world
}

async function holds(until: () => boolean | Promise<boolean>): Promise<boolean> {
  try {
    return await until()
  } catch (error) {
    if (error instanceof KubernetesError) return false
    throw error
  }
}

/** Removes all that the world has made, also what an incident that failed has left. */
async function remove(
  world: World,
  made: { readonly namespaces: readonly string[]; readonly kinds: readonly string[] },
): Promise<void> {
  const { kubernetes } = world
  const background = { propagationPolicy: 'Background' } as const
  for (const name of made.namespaces) await kubernetes.delete(namespaces, { name }, background)
  await world.pass(leastMs, async () => {
    for (const namespace of made.namespaces) {
      for (const { metadata } of (await kubernetes.list(pods, { namespace })).items)
        if (metadata.finalizers?.length) await free(kubernetes, pods, metadata)
      for (const { resource, name } of await heldIn(kubernetes, namespace).catch(() => []))
        await free(kubernetes, resource, { namespace, name })
    }
    for (const id of await world.containers()) await world.endContainer(id)
    const { items } = await kubernetes.list(namespaces)
    return !items.some(({ metadata }) => made.namespaces.includes(metadata.name))
  })
  for (const name of made.kinds) await kubernetes.delete(crds, { name }, background)
  await world.pass(leastMs, async () => {
    const { items } = await kubernetes.list(crds)
    return !items.some(({ metadata }) => made.kinds.includes(metadata.name))
  })
}

function free(kubernetes: Kubernetes, ...[resource, at]: Parameters<Kubernetes['get']>) {
  return kubernetes.patch(resource, at, { type: 'merge', body: { metadata: { finalizers: null } } })
}

const run = promisify(execFile)

async function ctr(...args: readonly string[]): Promise<string> {
  const socket = path.join(nodeOfRun().run, 'containerd.sock')
  return (await run('ctr', ['-a', socket, '-n', 'k8s.io', ...args])).stdout
}

type Found = ContainerId & { readonly task: string }

/** Asks containerd, as `crictl ps` does. */
async function containersIn(among: readonly string[]): Promise<readonly Found[]> {
  const tasks = (await ctr('tasks', 'ls')).split('\n').flatMap((line) => /^(\S+) +\d+ +RUNNING/.exec(line)?.[1] ?? [])
  const found = tasks.map(async (task): Promise<readonly Found[]> => {
    const labels = await ctr('containers', 'info', task).then(
      (text) => (JSON.parse(text) as { readonly Labels: Readonly<Record<string, string>> }).Labels,
      // The container has ended in the meantime.
      () => ({}),
    )
    const label = (name: string) => textAt(labels, `io.kubernetes.${name}`) ?? ''
    const isContainer = textAt(labels, 'io.cri-containerd.kind') === 'container'
    if (!isContainer || !among.includes(label('pod.namespace'))) return []
    return [{ pod: label('pod.uid'), name: label('container.name'), attempt: 0, task }]
  })
  return (await Promise.all(found)).flat()
}

async function endContainer(id: ContainerId): Promise<void> {
  const { task } = id as Partial<Found>
  if (task === undefined) throw new Error(`the container ${id.name} is not from the list of this world`)
  // All processes of the container, also those of its hooks.
  await ctr('tasks', 'kill', '--all', '--signal', 'SIGKILL', task).catch(() => undefined)
}
