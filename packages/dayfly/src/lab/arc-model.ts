// A model of Actions Runner Controller, as far as the incidents need it: it makes a pod for each runner, and counts its own objects
// (docs/reference/arc.md#s3). The uninstall has only ARC's objects, because its controller is gone.
import { pods } from '@dayfly/controller/resources'
import { fieldsAt, textAt } from '@dayfly/kit/read-json'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { KubeObject, OwnerReference, Resource } from '@dayfly/kubernetes/types'
import { parse } from 'yaml'
import { create, defineKind, find } from './objects.ts'
import type { World } from './world.ts'

export const arcGroup = 'actions.github.com'

/** ARC's kinds by their plurals. */
export const arcKinds = {
  autoscalingrunnersets: 'AutoscalingRunnerSet',
  autoscalinglisteners: 'AutoscalingListener',
  ephemeralrunnersets: 'EphemeralRunnerSet',
  ephemeralrunners: 'EphemeralRunner',
} as const

export type ArcKind = keyof typeof arcKinds

export function arcKind(plural: ArcKind): Resource {
  return { group: arcGroup, version: 'v1alpha1', plural, kind: arcKinds[plural], namespaced: true }
}

const columns = ['current', 'pending', 'running', 'failed'].map((name) => ({
  name,
  type: 'integer',
  jsonPath: `.status.${name}Runners`,
}))

/** Defines ARC's kinds. Their schemas do not look into pod templates, and neither do these. */
export async function defineArc(world: World): Promise<void> {
  for (const plural of Object.keys(arcKinds) as ArcKind[]) {
    const kind = arcKinds[plural]
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
    const version = { name: 'v1alpha1', served: true, storage: true, schema }
    const shown = plural === 'autoscalingrunnersets' ? { additionalPrinterColumns: columns } : {}
    await defineKind(world, arcKind(plural), {
      spec: {
        group: arcGroup,
        scope: 'Namespaced',
        names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
        versions: [{ ...version, ...shown }],
      },
    })
  }
}

export function createArc(
  world: World,
  plural: ArcKind,
  metadata: KubeObject['metadata'],
  more: object = {},
): Promise<KubeObject> {
  return create(world, arcKind(plural), { metadata, ...more })
}

export function ownerOf({ apiVersion, kind, metadata: { name, uid = '' } }: KubeObject): OwnerReference {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }
}

export type ArcCounts = Readonly<Record<'current' | 'pending' | 'running' | 'failed', number>>

/** How long ARC waits before it asks again for a pod that a quota refused. */
const quotaRetryMs = 30_000

/** Applies the set, and lets the model of ARC make its runners for a while. Returns ARC's own counts. */
export async function runArc(world: World, namespace: string, manifest: string, forMs: number): Promise<ArcCounts> {
  const set = parse(manifest) as Readonly<Record<string, unknown>> & { readonly metadata: { readonly name: string } }
  const spec = fieldsAt(set, 'spec') ?? {}
  const owner = await createArc(world, 'autoscalingrunnersets', { ...set.metadata, namespace }, { spec })
  const names = Array.from({ length: Number(spec['minRunners']) }, (_, index) => `${set.metadata.name}-${index + 1}`)
  for (const name of names)
    await createArc(world, 'ephemeralrunners', { name, namespace, ownerReferences: [ownerOf(owner)] })
  const failed = new Map<string, string>()
  for (let passed = 0; passed < forMs; passed += quotaRetryMs) {
    for (const name of names) {
      const refusal = failed.has(name) ? undefined : await makePod(world, { namespace, name }, spec)
      if (refusal !== undefined) failed.set(name, refusal)
    }
    await world.linger(quotaRetryMs)
  }
  const phases: string[] = []
  for (const name of names) phases.push(failed.has(name) ? 'Failed' : await phaseOf(world, namespace, name))
  const count = (phase: string) => phases.filter((one) => one === phase).length
  const counts = {
    current: names.length,
    pending: count('Pending'),
    running: count('Running'),
    failed: count('Failed'),
  }
  await writeStatus(world, { namespace, name: owner.metadata.name }, counts, failed)
  return counts
}

/** Returns why the pod is rejected permanently. ARC asks again if a quota is exceeded. */
async function makePod(world: World, metadata: Place, spec: object): Promise<string | undefined> {
  if (await find(world, pods, metadata)) return undefined
  const template = fieldsAt(spec, 'template', 'spec')
  try {
    await create(world, pods, { metadata, spec: { restartPolicy: 'Never', ...template } })
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error
    return /exceeded quota/.test(error.message) ? undefined : error.message
  }
  return undefined
}

type Place = { readonly namespace: string; readonly name: string }

async function phaseOf(world: World, namespace: string, name: string): Promise<string> {
  return textAt(await find(world, pods, { namespace, name }), 'status', 'phase') ?? 'Pending'
}

async function writeStatus(
  { kubernetes }: World,
  { namespace, name }: Place,
  counts: ArcCounts,
  failed: ReadonlyMap<string, string>,
): Promise<void> {
  const write = (plural: ArcKind, at: Place, status: object) =>
    kubernetes.patch(arcKind(plural), at, { type: 'merge', body: { status } })
  const status = Object.fromEntries(Object.entries(counts).map(([word, count]) => [`${word}Runners`, count]))
  await write('autoscalingrunnersets', { namespace, name }, status)
  for (const [runner, message] of failed)
    await write('ephemeralrunners', { namespace, name: runner }, { phase: 'Failed', reason: 'InvalidPod', message })
}
