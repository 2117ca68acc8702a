// A model of Actions Runner Controller, as far as the incidents need it: it makes a pod for each runner, and counts its own objects
// (docs/reference/arc.md#s3). The uninstall has only ARC's objects, because its controller is gone.
import { parse } from 'yaml'
import { ApiError } from '../embedded/api/errors.ts'
import type { StoredObject } from '../embedded/store/object.ts'
import { fieldsAt, textAt } from '../lib/read-json.ts'
import type { World } from './world.ts'

export const arcGroup = 'actions.github.com'
const apiVersion = `${arcGroup}/v1alpha1`

/** ARC's kinds by their plurals. */
export const arcKinds = {
  autoscalingrunnersets: 'AutoscalingRunnerSet',
  autoscalinglisteners: 'AutoscalingListener',
  ephemeralrunnersets: 'EphemeralRunnerSet',
  ephemeralrunners: 'EphemeralRunner',
} as const

export type ArcKind = keyof typeof arcKinds

const columns = ['current', 'pending', 'running', 'failed'].map((name) => ({
  name,
  type: 'integer',
  jsonPath: `.status.${name}Runners`,
}))

/** Defines ARC's kinds. Their schemas do not look into pod templates, and neither do these. */
export async function defineArc(world: World): Promise<void> {
  for (const [plural, kind] of Object.entries(arcKinds)) {
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
    const version = { name: 'v1alpha1', served: true, storage: true, schema }
    const shown = plural === 'autoscalingrunnersets' ? { additionalPrinterColumns: columns } : {}
    world.create('customresourcedefinitions.apiextensions.k8s.io', {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${arcGroup}` },
      spec: {
        group: arcGroup,
        scope: 'Namespaced',
        names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
        versions: [{ ...version, ...shown }],
      },
    })
  }
  await world.clock.advance(1_000)
}

export function createArc(world: World, plural: ArcKind, metadata: object, more: object = {}): StoredObject {
  return world.create(`${plural}.${arcGroup}`, { apiVersion, kind: arcKinds[plural], metadata, ...more })
}

export function ownerOf({ apiVersion: version, kind, metadata: { name, uid } }: StoredObject): object {
  return { apiVersion: version, kind, name, uid, controller: true, blockOwnerDeletion: true }
}

export type ArcCounts = Readonly<Record<'current' | 'pending' | 'running' | 'failed', number>>

/** How long ARC waits before it asks again for a pod that a quota refused. */
const quotaRetryMs = 30_000

/** Applies the set, and lets the model of ARC make its runners for a while. Returns ARC's own counts. */
export async function runArc(world: World, namespace: string, manifest: string, forMs: number): Promise<ArcCounts> {
  const set = parse(manifest) as Readonly<Record<string, unknown>> & { readonly metadata: { readonly name: string } }
  const spec = fieldsAt(set, 'spec') ?? {}
  const owner = createArc(world, 'autoscalingrunnersets', { ...set.metadata, namespace }, { spec })
  const names = Array.from({ length: Number(spec['minRunners']) }, (_, index) => `${set.metadata.name}-${index + 1}`)
  for (const name of names) createArc(world, 'ephemeralrunners', { name, namespace, ownerReferences: [ownerOf(owner)] })
  const failed = new Map<string, string>()
  for (let passed = 0; passed < forMs; passed += quotaRetryMs) {
    for (const name of names) {
      const refusal = failed.has(name) ? undefined : makePod(world, { namespace, name }, spec)
      if (refusal !== undefined) failed.set(name, refusal)
    }
    await world.clock.advance(quotaRetryMs)
  }
  const phases = names.map((name) => (failed.has(name) ? 'Failed' : phaseOf(world, namespace, name)))
  const count = (phase: string) => phases.filter((one) => one === phase).length
  const counts = {
    current: names.length,
    pending: count('Pending'),
    running: count('Running'),
    failed: count('Failed'),
  }
  writeStatus(world, { namespace, name: owner.metadata.name }, counts, failed)
  return counts
}

/** Returns why the pod is rejected permanently. ARC asks again if a quota is exceeded. */
function makePod(world: World, metadata: Place, spec: object): string | undefined {
  if (world.cluster.registry.get('pods', metadata.namespace, metadata.name)) return undefined
  const template = fieldsAt(spec, 'template', 'spec')
  try {
    world.create('pods', { apiVersion: 'v1', kind: 'Pod', metadata, spec: { restartPolicy: 'Never', ...template } })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return /exceeded quota/.test(error.message) ? undefined : error.message
  }
  return undefined
}

type Place = { readonly namespace: string; readonly name: string }

function phaseOf(world: World, namespace: string, name: string): string {
  return textAt(world.cluster.registry.get('pods', namespace, name), 'status', 'phase') ?? 'Pending'
}

function writeStatus(
  { cluster: { registry } }: World,
  { namespace, name }: Place,
  counts: ArcCounts,
  failed: ReadonlyMap<string, string>,
): void {
  const sets = `autoscalingrunnersets.${arcGroup}`
  const status = Object.fromEntries(Object.entries(counts).map(([word, count]) => [`${word}Runners`, count]))
  registry.update(sets, { ...registry.get(sets, namespace, name), status })
  const runners = `ephemeralrunners.${arcGroup}`
  for (const [runner, message] of failed) {
    const object = registry.get(runners, namespace, runner)
    registry.update(runners, { ...object, status: { phase: 'Failed', reason: 'InvalidPod', message } })
  }
}
