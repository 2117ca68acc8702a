// ARC: objects that wait for a controller that is gone or does not act (incident S4). The root of each chain is named, not every link.

import { numberAt, timeAt } from '../../lib/read-json.ts'
import { arcControllers, arcFinalizers, arcObjects, hasJob, type LeaderLease, leaderLeases } from '../arc/arc.ts'
import { durationText } from '../duration-text.ts'
import type { Facts, LiveFacts, ObjectFact } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { withLive } from '../live-facts.ts'
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
  const leases = leaderLeases(facts, live.at)
  const hung = leases.length > 0 && leases.every(({ isStale }) => isStale) ? leases[0] : undefined
  const busy = busyNamespaces(facts)
  const wait = ready && !hung ? patience.there : patience.gone
  const stuck = facts.objects.filter(
    (fact) => arcFinalizers(fact).length > 0 && live.at - (deletedAt(fact) ?? live.at) > wait,
  )
  return rootsOf(stuck.filter(({ object }) => !ready || !busy.has(object.namespace))).map(({ root, behind }) => ({
    object: root.object,
    document: root.document,
    path: ['metadata', 'finalizers'],
    severity: ready ? ('warning' as const) : ('error' as const),
    message: `${root.object.kind} ${root.object.name} has been waiting ${durationText(live.at - (deletedAt(root) ?? live.at))} to be deleted${behind}: ${cause(controllers, ready, hung && { ...hung, ago: live.at - hung.renewed })}`,
  }))
}

/** The namespaces in which a job still runs: the controller waits for it, as it should. */
function busyNamespaces(facts: Facts): ReadonlySet<string | undefined> {
  return new Set(arcObjects(facts, 'EphemeralRunner').flatMap((one) => (hasJob(one) ? [one.object.namespace] : [])))
}

function deletedAt(fact: ObjectFact): number | undefined {
  return timeAt(fact.raw, 'metadata', 'deletionTimestamp')
}

/** ARC deletes in this order; whatever is higher holds what is lower. */
const order = ['AutoscalingRunnerSet', 'EphemeralRunnerSet', 'AutoscalingListener', 'EphemeralRunner']

/** In each namespace the objects of the highest kind that is stuck there, with how many of each other kind wait behind them. */
function rootsOf(stuck: readonly ObjectFact[]): readonly { readonly root: ObjectFact; readonly behind: string }[] {
  const rank = (kind: string) => (order.indexOf(kind) + order.length + 1) % (order.length + 1)
  const byNamespace = new Map<string, Map<string, ObjectFact[]>>()
  for (const fact of stuck) {
    const kinds = byNamespace.get(fact.object.namespace ?? '') ?? new Map<string, ObjectFact[]>()
    byNamespace.set(fact.object.namespace ?? '', kinds)
    const same = kinds.get(fact.object.kind) ?? []
    same.push(fact)
    kinds.set(fact.object.kind, same)
  }
  return [...byNamespace.values()].flatMap((kinds) => {
    const highest = Math.min(...[...kinds.keys()].map(rank))
    const others = [...kinds].filter(([kind]) => rank(kind) > highest)
    const counts = others.map(([kind, facts]) => `${facts.length} ${kind}`).join(', ')
    const roots = [...kinds].filter(([kind]) => rank(kind) === highest).flatMap(([, facts]) => facts)
    return roots.map((root) => ({ root, behind: counts === '' ? '' : ` with ${counts} behind it` }))
  })
}

function cause(
  controllers: readonly ObjectFact[],
  ready: boolean,
  hung: (LeaderLease & { readonly ago: number }) | undefined,
): string {
  if (ready && hung) {
    const { namespace, name } = hung.fact.object
    return `ARC's controller is there, but nobody has renewed its lease ${namespace}/${name} for ${durationText(hung.ago)}: it hangs, or cannot reach the API server. Restart it and let it finish.`
  }
  if (ready) {
    return "ARC's controller runs but does not finish: its log says why (credentials gone, GitHub refuses, a right was taken away)."
  }
  const state = controllers.length === 0 ? 'is not installed any more' : 'has no ready pod'
  return `only ARC's controller takes its finalizer away, and that ${state}. Bring it back in the same version and let it finish; finalizers that are removed by hand leave the scale set and its runners at GitHub.`
}
