// Runner sets and the controller that must take their finalizers away, in one delivery without an order (incident S4).

import { fieldsAt, listAt, textAt, valueAt } from '../../lib/read-json.ts'
import { arcControllers, arcObjects } from '../arc/arc.ts'
import { type ChartRelease, mayMeet } from '../arc/chart-release.ts'
import { chartReleases } from '../arc/chart-releases.ts'
import type { Facts, ObjectFact } from '../facts.ts'
import type { Fix, Hit } from '../finding.ts'
import { objectsOf } from '../objects/by-kind.ts'
import { onePerPlace } from '../one-per-place.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'finalizer-deadlock-static',
  code: 'FIN501',
  title: 'The controller may be deleted before the runner sets that need it',
  severity: 'warning',
  confidence: 'high',
  modes: ['static'],
  fix: 'unsafe',
  check: (facts) => ({ hits: [...delivered(facts), ...together(facts)] }),
}

const waveAnnotation = 'argocd.argoproj.io/sync-wave'
const stay = "the controller may go first, and the runner set's finalizers stay for ever"

/** Each release of a runner set beside the controllers that the same tool delivers to the same cluster. */
function delivered(facts: Facts): readonly Hit[] {
  const controllers = chartReleases(facts, 'gha-runner-scale-set-controller')
  const hits = chartReleases(facts, 'gha-runner-scale-set').flatMap((set) => {
    const tool = toolOf(set)
    const beside = controllers.filter((each) => toolOf(each) === tool && mayMeet(each, set))
    const [first, ...others] = beside
    if (!first) return []
    if (tool === 'Application') return argo(set, [first, ...others])
    return tool === 'HelmRelease' ? flux(facts, set, first) : atOnce(set, beside)
  })
  return onePerPlace(hits)
}

function toolOf({ fact }: ChartRelease): string {
  return fact.object.kind.replace(/^ApplicationSet$/, 'Application')
}

type Some = readonly [ChartRelease, ...ChartRelease[]]

/** Argo CD deletes in the opposite order of the waves: the sets need a higher one than the controller. */
function argo({ fact }: ChartRelease, controllers: Some): readonly Hit[] {
  const wave = Math.max(...controllers.map((each) => waveOf(each.fact)))
  const own = controllers.some((each) => each.fact === fact)
  if ((waveOf(fact) > wave && !own) || keepsOrder(fact)) return []
  const { kind, name } = fact.object
  const makes = kind === 'ApplicationSet' ? 'makes Applications of' : 'delivers'
  // What an ApplicationSet computes may be for other clusters than it seems.
  const isMade = [fact, ...controllers.map((each) => each.fact)].some(({ object }) => object.kind === 'ApplicationSet')
  const found = own
    ? hit(fact, {
        path: ['metadata'],
        message: `${kind} ${name} ${makes} the runner set and its controller at once: when it is deleted, ${stay}. Make two ${kind}s of it, the set's in a later ${waveAnnotation}.`,
      })
    : hit(fact, {
        path: ['metadata'],
        message: `${kind} ${name} is in the same wave as its controller (${controllers[0].fact.object.name}) or an earlier one: when both are deleted, ${stay}. Give it a later ${waveAnnotation}.`,
        fix: laterWave(fact, wave + 1),
      })
  return [isMade ? { ...found, confidence: 'medium' } : found]
}

/** An ApplicationSet that deletes its Applications one step after the other, or leaves what they delivered. */
function keepsOrder({ object, raw }: ObjectFact): boolean {
  if (object.kind !== 'ApplicationSet') return false
  const isKept = valueAt(raw, 'spec', 'syncPolicy', 'preserveResourcesOnDeletion') === true
  return isKept || textAt(raw, 'spec', 'strategy', 'deletionOrder') === 'Reverse'
}

/** An order can also stand one level above, between Flux's Kustomizations: then nothing is known. */
function flux(facts: Facts, { fact }: ChartRelease, controller: ChartRelease): readonly Hit[] {
  const above = objectsOf(facts, 'Kustomization').some(({ raw }) => listAt(raw, 'spec', 'dependsOn').length > 0)
  const { name, namespace } = controller.fact.object
  const dependsOn = listAt(fact.raw, 'spec', 'dependsOn')
  if (above || dependsOn.some((each) => textAt(each, 'name') === name)) return []
  const elsewhere = namespace !== undefined && namespace !== fact.object.namespace
  return [
    hit(fact, {
      path: ['spec'],
      message: `Nothing says that HelmRelease ${fact.object.name} needs its controller (${name}): when both are deleted, ${stay}. Say so with dependsOn; and as Flux heeds that only when it installs, delete the set first, in a commit of its own.`,
      fix:
        dependsOn.length === 0
          ? {
              safety: 'unsafe',
              title: `Depend on ${name}`,
              edits: [
                { do: 'set', path: ['spec', 'dependsOn'], value: [{ name, ...(elsewhere ? { namespace } : {}) }] },
              ],
            }
          : undefined,
    }),
  ]
}

/** A chart with both as dependencies, a kustomization or a helmfile of both, a folder of Terraform: one command deletes all. */
function atOnce(set: ChartRelease, controllers: readonly ChartRelease[]): readonly Hit[] {
  const { fact, path } = set
  const isTerraform = path[0] === 'helm_release'
  const beside = controllers.find((each) =>
    isTerraform ? each.path[0] === path[0] && each.cluster === set.cluster : each.fact === fact,
  )
  if (!beside) return []
  const [entry, controller] = [set, beside].map((each) => fieldsAt(each.fact.raw, ...each.path) ?? {})
  // A helmfile and Terraform delete in the opposite order of what their releases need.
  if (listAt(entry, 'needs').length > 0) return []
  const mayBeOff = [entry, controller].some((each) => each && 'condition' in each)
  const how = isTerraform
    ? `Nothing says that the runner set needs its controller: destroyed at once, ${stay}. Say it with depends_on = [helm_release.${textAt(controller, 'name')}].`
    : `The runner set and its controller are installed by one file: deleted at once, ${stay}. Install them apart, and delete the set first.`
  return [
    {
      ...hit(fact, { path, message: how }),
      confidence: mayBeOff ? 'low' : path[0] === 'dependencies' ? 'high' : 'medium',
    },
  ]
}

/** Both as plain manifests in the same input, without waves. */
function together(facts: Facts): readonly Hit[] {
  const controllers = arcControllers(facts)
  const [controller] = controllers
  if (!controller) return []
  const wave = Math.max(...controllers.map(waveOf))
  return arcObjects(facts, 'AutoscalingRunnerSet')
    .filter((fact) => waveOf(fact) <= wave)
    .map((fact) => ({
      ...hit(fact, {
        path: ['metadata'],
        message: `The runner set ${fact.object.name} and its controller (${controller.object.name}) are delivered together without an order: deleted together, ${stay}. Deliver them apart, or give the set a later ${waveAnnotation}.`,
      }),
      confidence: 'medium' as const,
    }))
}

function hit(fact: ObjectFact, rest: Pick<Hit, 'path' | 'message' | 'fix'>): Hit {
  return { object: fact.object, document: fact.document, ...rest }
}

function waveOf({ raw }: ObjectFact): number {
  return Number(valueAt(raw, 'metadata', 'annotations', waveAnnotation) ?? 0) || 0
}

function laterWave({ raw }: ObjectFact, wave: number): Fix {
  const value = String(wave)
  const path = ['metadata', 'annotations']
  return {
    safety: 'unsafe',
    title: `Put it in wave ${value}`,
    edits: [
      fieldsAt(raw, ...path)
        ? { do: 'set', path: [...path, waveAnnotation], value }
        : { do: 'set', path, value: { [waveAnnotation]: value } },
    ],
  }
}
