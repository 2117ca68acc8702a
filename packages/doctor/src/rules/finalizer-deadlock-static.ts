// Finds runner sets of ARC that are delivered together with their controller but without an order. Only the controller can remove their finalizers.
import { fieldsAt, listAt, textAt, textsAt, valueAt } from '@dayfly/kit/read-json'
import { arcControllers, arcObjects } from '../arc/arc.ts'
import { type ChartRelease, mayMeet } from '../arc/chart-release.ts'
import { chartReleases } from '../arc/chart-releases.ts'
import { fluxOrder } from '../arc/flux-order.ts'
import type { Facts, ObjectFact } from '../facts.ts'
import type { Fix, Hit } from '../finding.ts'
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
  isCrossObject: true,
  check: (facts) => ({ hits: [...checkReleases(facts), ...checkManifests(facts)] }),
}

const waveAnnotation = 'argocd.argoproj.io/sync-wave'
const consequence = "the controller may be deleted first, and the runner set's finalizers stay forever"

/** Checks each release of a runner set against the controllers that the same tool delivers to the same cluster. */
function checkReleases(facts: Facts): readonly Hit[] {
  const controllers = chartReleases(facts, 'gha-runner-scale-set-controller')
  const hits = chartReleases(facts, 'gha-runner-scale-set').flatMap((set) => {
    const tool = toolOf(set)
    const beside = controllers.filter((each) => toolOf(each) === tool && mayMeet(each, set))
    const [first, ...others] = beside
    if (!first) return []
    if (tool === 'Application') return checkArgo(set, [first, ...others])
    return tool === 'HelmRelease' ? checkFlux(facts, set, [first, ...others]) : checkOneFile(set, beside)
  })
  return onePerPlace(hits)
}

function toolOf({ fact }: ChartRelease): string {
  return fact.object.kind.replace(/^ApplicationSet$/, 'Application')
}

type Some = readonly [ChartRelease, ...ChartRelease[]]

/** Argo CD deletes in the reverse order of the waves: the sets need a higher wave than the controller. */
function checkArgo({ fact }: ChartRelease, controllers: Some): readonly Hit[] {
  const wave = Math.max(...controllers.map((each) => waveOf(each.fact)))
  const own = controllers.some((each) => each.fact === fact)
  if ((waveOf(fact) > wave && !own) || keepsOrder(fact)) return []
  const { kind, name } = fact.object
  const delivers = kind === 'ApplicationSet' ? 'creates Applications of' : 'delivers'
  // The Applications of an ApplicationSet may be for other clusters than its template suggests.
  const isMade = [fact, ...controllers.map((each) => each.fact)].some(({ object }) => object.kind === 'ApplicationSet')
  const found = own
    ? hit(fact, {
        path: ['metadata'],
        message: `${kind} ${name} ${delivers} the runner set together with its controller. When it is deleted, ${consequence}. Split it into two ${kind}s, and give the set's a later ${waveAnnotation}.`,
      })
    : hit(fact, {
        path: ['metadata'],
        message: `${kind} ${name} is in the same wave as its controller (${controllers[0].fact.object.name}) or in an earlier one. When both are deleted, ${consequence}. Give it a later ${waveAnnotation}.`,
        fix: laterWave(fact, wave + 1),
      })
  const deletes = [fact, ...controllers.map((each) => each.fact)].every(deletesObjects)
  return [isMade || !deletes ? { ...found, confidence: deletes ? 'medium' : 'low' } : found]
}

/**
 * Whether a deleted Application deletes its objects, too. Without this finalizer it leaves them when it is pruned. An ApplicationSet adds
 * the finalizer itself.
 */
function deletesObjects({ object, raw }: ObjectFact): boolean {
  if (object.kind === 'ApplicationSet') return true
  return textsAt(raw, 'metadata', 'finalizers').some((name) => /^resources-finalizer\.argocd\.argoproj\.io/.test(name))
}

/** Returns whether an ApplicationSet deletes its Applications in reverse order, or keeps their resources. */
function keepsOrder({ object, raw }: ObjectFact): boolean {
  if (object.kind !== 'ApplicationSet') return false
  const isKept = valueAt(raw, 'spec', 'syncPolicy', 'preserveResourcesOnDeletion') === true
  return isKept || textAt(raw, 'spec', 'strategy', 'deletionOrder') === 'Reverse'
}

/** Checks a HelmRelease of Flux. Flux's Kustomizations may define the order as well. If the input does not show which, nothing is reported. */
function checkFlux(facts: Facts, { fact }: ChartRelease, controllers: Some): readonly Hit[] {
  const dependsOn = listAt(fact.raw, 'spec', 'dependsOn')
  const isOrdered = controllers.some(
    (controller) =>
      fluxOrder(facts, controller.fact, fact) !== 'unordered' ||
      dependsOn.some((each) => textAt(each, 'name') === controller.fact.object.name),
  )
  if (isOrdered) return []
  const { name, namespace } = controllers[0].fact.object
  const elsewhere = namespace !== undefined && namespace !== fact.object.namespace
  return [
    hit(fact, {
      path: ['spec'],
      message: `HelmRelease ${fact.object.name} does not depend on its controller (${name}). When both are deleted, ${consequence}. Add dependsOn, and delete the set first in its own commit, because Flux applies dependsOn only when it installs.`,
      fix:
        dependsOn.length === 0
          ? {
              safety: 'unsafe',
              title: `Add dependsOn for ${name}`,
              edits: [
                { do: 'set', path: ['spec', 'dependsOn'], value: [{ name, ...(elsewhere ? { namespace } : {}) }] },
              ],
            }
          : undefined,
    }),
  ]
}

/** Checks a chart, a kustomization, a helmfile or a Terraform folder that installs both: one command deletes both. */
function checkOneFile(set: ChartRelease, controllers: readonly ChartRelease[]): readonly Hit[] {
  const { fact, path } = set
  const isTerraform = path[0] === 'helm_release'
  const beside = controllers.find((each) =>
    isTerraform ? each.path[0] === path[0] && each.cluster === set.cluster : each.fact === fact,
  )
  if (!beside) return []
  const [entry, controller] = [set, beside].map((each) => fieldsAt(each.fact.raw, ...each.path) ?? {})
  // Helmfile and Terraform delete in the reverse order of the dependencies.
  if (listAt(entry, 'needs').length > 0) return []
  const mayBeOff = [entry, controller].some((each) => each && 'condition' in each)
  const how = isTerraform
    ? `The runner set does not depend on its controller. When both are destroyed, ${consequence}. Add depends_on = [helm_release.${textAt(controller, 'name')}].`
    : `One file installs the runner set and its controller. When both are deleted, ${consequence}. Install them separately, and delete the set first.`
  return [
    {
      ...hit(fact, { path, message: how }),
      confidence: mayBeOff ? 'low' : path[0] === 'dependencies' ? 'high' : 'medium',
    },
  ]
}

/** Checks plain manifests of both in the same input, without waves. */
function checkManifests(facts: Facts): readonly Hit[] {
  const controllers = arcControllers(facts)
  const [controller] = controllers
  if (!controller) return []
  const wave = Math.max(...controllers.map(waveOf))
  return arcObjects(facts, 'AutoscalingRunnerSet')
    .filter((fact) => waveOf(fact) <= wave)
    .map((fact) => ({
      ...hit(fact, {
        path: ['metadata'],
        message: `The runner set ${fact.object.name} and its controller (${controller.object.name}) are delivered together without an order. When both are deleted, ${consequence}. Deliver them separately, or give the set a later ${waveAnnotation}.`,
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
    title: `Set the sync wave ${value}`,
    edits: [
      fieldsAt(raw, ...path)
        ? { do: 'set', path: [...path, waveAnnotation], value }
        : { do: 'set', path, value: { [waveAnnotation]: value } },
    ],
  }
}
