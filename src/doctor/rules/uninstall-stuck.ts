// ARC: objects that wait for a controller that is gone or does not act (incident S4). The root of each chain is named, not every link.
import { arcControllers, arcFinalizers, arcObjects, hasJob } from '../arc.ts'
import type { Facts, LiveFacts, ObjectFact } from '../facts.ts'
import { numberAt, timeAt } from '../fields.ts'
import type { Hit } from '../finding.ts'
import { withLive } from '../live-facts.ts'
import { durationText } from '../live-pod.ts'
import type { Rule, RuleResult } from '../rule.ts'

export const rule: Rule = {
  slug: 'uninstall-stuck',
  code: 'FIN502',
  title: 'Objects of a runner set wait for ever to be deleted',
  severity: 'error',
  confidence: 'high',
  modes: ['live'],
  fix: 'guided',
  check: examine,
}

function examine(facts: Facts): RuleResult {
  if (facts.live?.namespaces && arcControllers(facts).length === 0) {
    return { skipped: 'the controller may be in a namespace that was not read' }
  }
  return withLive(facts, ['Deployment', 'AutoscalingRunnerSet'], (live) => check(facts, live))
}

/** Milliseconds: a controller that is there gets longer. */
const patience = { gone: 60_000, there: 900_000 }

function check(facts: Facts, live: LiveFacts): readonly Hit[] {
  const controllers = arcControllers(facts)
  const ready = controllers.some(({ raw }) => (numberAt(raw, 'status', 'readyReplicas') ?? 0) > 0)
  const wait = ready ? patience.there : patience.gone
  const stuck = facts.objects.filter(
    (fact) => arcFinalizers(fact).length > 0 && live.at - (deletedAt(fact) ?? live.at) > wait,
  )
  return rootsOf(stuck.filter((fact) => !ready || !isBusy(fact, facts))).map((root) => ({
    object: root.object,
    document: root.document,
    path: ['metadata', 'finalizers'],
    severity: ready ? ('warning' as const) : ('error' as const),
    message: `${root.object.kind} ${root.object.name} has been waiting ${durationText(live.at - (deletedAt(root) ?? live.at))} to be deleted${behind(root, stuck)}: ${cause(controllers, ready)}`,
  }))
}

/** A job still runs in the namespace, and the controller waits for it as it should. */
function isBusy({ object: { namespace } }: ObjectFact, facts: Facts): boolean {
  return arcObjects(facts, 'EphemeralRunner').some((runner) => runner.object.namespace === namespace && hasJob(runner))
}

function deletedAt(fact: ObjectFact): number | undefined {
  return timeAt(fact.raw, 'metadata', 'deletionTimestamp')
}

/** ARC deletes in this order; whatever is higher holds what is lower. */
const order = ['AutoscalingRunnerSet', 'EphemeralRunnerSet', 'AutoscalingListener', 'EphemeralRunner']

/** In each namespace the objects of the highest kind that is stuck there. */
function rootsOf(stuck: readonly ObjectFact[]): readonly ObjectFact[] {
  const rank = (fact: ObjectFact) => (order.indexOf(fact.object.kind) + order.length + 1) % (order.length + 1)
  return stuck.filter((fact) => {
    const neighbours = stuck.filter(({ object }) => object.namespace === fact.object.namespace)
    return neighbours.every((other) => rank(fact) <= rank(other))
  })
}

function behind(root: ObjectFact, stuck: readonly ObjectFact[]): string {
  const others = stuck.filter(
    ({ object }) => object.namespace === root.object.namespace && object.kind !== root.object.kind,
  )
  if (others.length === 0) return ''
  const counts = new Map<string, number>()
  for (const { object } of others) counts.set(object.kind, (counts.get(object.kind) ?? 0) + 1)
  return ` with ${[...counts].map(([kind, count]) => `${count} ${kind}`).join(', ')} behind it`
}

function cause(controllers: readonly ObjectFact[], ready: boolean): string {
  if (ready) {
    return "ARC's controller runs but does not finish: its log says why (credentials gone, GitHub refuses, a right was taken away)."
  }
  const state = controllers.length === 0 ? 'is not installed any more' : 'has no ready pod'
  return `only ARC's controller takes its finalizer away, and that ${state}. Bring it back in the same version and let it finish; finalizers that are removed by hand leave the scale set and its runners at GitHub.`
}
