// Runner sets and the controller that must take their finalizers away, in one delivery without an order (incident S4).
import { arcControllers, arcObjects } from '../arc.ts'
import type { Facts, ObjectFact } from '../facts.ts'
import { fieldsAt, listAt, textAt } from '../fields.ts'
import type { Fix, Hit } from '../finding.ts'
import { objectsOf } from '../live-pod.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'finalizer-deadlock-static',
  code: 'FIN501',
  title: 'The controller may be deleted before the runner sets that need it',
  severity: 'warning',
  confidence: 'high',
  modes: ['static'],
  fix: 'unsafe',
  check: (facts) => ({ hits: [...argo(facts), ...flux(facts), ...together(facts)] }),
}

const controllerChart = 'gha-runner-scale-set-controller'
const setChart = 'gha-runner-scale-set'
const waveAnnotation = 'argocd.argoproj.io/sync-wave'

/** Argo CD deletes in the opposite order of the waves: the sets need a higher one than the controller. */
function argo(facts: Facts): readonly Hit[] {
  const controllers = releases(facts, 'Application', controllerChart)
  const [controller] = controllers
  if (!controller) return []
  const wave = Math.max(...controllers.map(waveOf))
  return releases(facts, 'Application', setChart)
    .filter((fact) => waveOf(fact) <= wave)
    .map((fact) =>
      hit(fact, {
        path: ['metadata'],
        message: `Application ${fact.object.name} is in the same wave as its controller (${controller.object.name}) or an earlier one: when both are deleted, the controller may go first, and the runner set's finalizers stay for ever. Give it a later ${waveAnnotation}.`,
        fix: laterWave(fact, wave + 1),
      }),
    )
}

function flux(facts: Facts): readonly Hit[] {
  const [controller] = releases(facts, 'HelmRelease', controllerChart)
  if (!controller) return []
  const { name, namespace } = controller.object
  return releases(facts, 'HelmRelease', setChart)
    .filter(({ raw }) => !listAt(raw, 'spec', 'dependsOn').some((each) => textAt(each, 'name') === name))
    .map((fact) => {
      const elsewhere = namespace !== undefined && namespace !== fact.object.namespace
      return hit(fact, {
        path: ['spec'],
        message: `HelmRelease ${fact.object.name} does not depend on its controller (${name}): when both are deleted, the controller may go first, and the runner set's finalizers stay for ever.`,
        fix:
          fieldsAt(fact.raw, 'spec') && listAt(fact.raw, 'spec', 'dependsOn').length === 0
            ? {
                safety: 'unsafe',
                title: `Depend on ${name}`,
                edits: [
                  { do: 'set', path: ['spec', 'dependsOn'], value: [{ name, ...(elsewhere ? { namespace } : {}) }] },
                ],
              }
            : undefined,
      })
    })
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
        message: `The runner set ${fact.object.name} and its controller (${controller.object.name}) are delivered together without an order: deleted together, the controller may go first, and the set's finalizers stay for ever. Deliver them apart, or give the set a later ${waveAnnotation}.`,
      }),
      confidence: 'medium' as const,
    }))
}

function hit(fact: ObjectFact, rest: Pick<Hit, 'path' | 'message' | 'fix'>): Hit {
  return { object: fact.object, document: fact.document, ...rest }
}

function releases(facts: Facts, kind: 'Application' | 'HelmRelease', chart: string): readonly ObjectFact[] {
  const at = kind === 'Application' ? ['spec', 'source', 'chart'] : ['spec', 'chart', 'spec', 'chart']
  return objectsOf(facts, kind).filter(
    ({ raw }) =>
      textAt(raw, ...at)
        ?.split('/')
        .at(-1) === chart,
  )
}

function waveOf({ raw }: ObjectFact): number {
  return Number(textAt(raw, 'metadata', 'annotations', waveAnnotation) ?? 0) || 0
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
