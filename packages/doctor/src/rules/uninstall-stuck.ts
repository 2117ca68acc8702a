// Finds objects of ARC whose deletion waits for a controller that is gone or does not act. It reports only the root of each chain.
import { numberAt, textAt, timeAt, valueAt } from '@dayfly/kit/read-json'
import { arcControllers, arcFinalizers, arcObjects, hasJob, type LeaderLease, leaderLeases } from '../arc/arc.ts'
import { durationText } from '../duration-text.ts'
import type { Facts, LiveFacts, ObjectFact } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { withLive } from '../live-facts.ts'
import { objectsOf } from '../read/objects/by-kind.ts'
import { ownerOf, uidOf } from '../read/objects/metadata.ts'
import type { Rule, RuleResult } from '../rule.ts'

export const rule: Rule = {
  slug: 'uninstall-stuck',
  code: 'FIN502',
  title: 'The deletion of a runner set waits forever',
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

/** Milliseconds: an existing controller gets more time. */
const minWait = { gone: 60_000, present: 900_000 }

function check(facts: Facts, live: LiveFacts): readonly Hit[] {
  const controllers = arcControllers(facts)
  const ready = controllers.some(({ raw }) => (numberAt(raw, 'status', 'readyReplicas') ?? 0) > 0)
  const leases = leaderLeases(facts, live.at)
  const hung = leases.length > 0 && leases.every(({ isStale }) => isStale) ? leases[0] : undefined
  const busy = busyRunners(facts, live)
  const wait = ready && !hung ? minWait.present : minWait.gone
  const stuck = facts.objects.filter(
    (fact) => arcFinalizers(fact).length > 0 && live.at - (deletedAt(fact) ?? live.at) > wait,
  )
  const lost = lostSecrets(facts, live)
  const isWaiting = (fact: ObjectFact) =>
    ready && !lost.has(uidOf(fact.raw)) && busy.some((runner) => mayWaitFor(fact, runner))
  return rootsOf(stuck.filter((fact) => !isWaiting(fact))).map(({ root, behind }) => {
    const secret = ready ? lost.get(uidOf(root.raw)) : undefined
    const why =
      secret === undefined
        ? ready && !hung && hasJob(root)
          ? heldByJob
          : cause(controllers, ready, hung && { ...hung, ago: live.at - hung.renewed })
        : `ARC's controller runs, but the Secret ${secret}, with which it removes the runners from GitHub, does not exist. Create it again. If its namespace is being deleted, that is impossible.`
    return {
      object: root.object,
      document: root.document,
      path: ['metadata', 'finalizers'],
      severity: ready && secret === undefined ? ('warning' as const) : ('error' as const),
      message: `${root.object.kind} ${root.object.name} has waited ${durationText(live.at - (deletedAt(root) ?? live.at))} for its deletion${behind}: ${why}`,
    }
  })
}

/** Returns the names of missing Secrets by the uid of the runner set that needs them. With a vault, the set needs no Secret. */
function lostSecrets(facts: Facts, { unreadable }: LiveFacts): ReadonlyMap<string | undefined, string> {
  if (unreadable['Secret'] !== undefined) return new Map()
  const there = new Set(objectsOf(facts, 'Secret').map(({ object }) => `${object.namespace}/${object.name}`))
  return new Map(
    arcObjects(facts, 'AutoscalingRunnerSet').flatMap(({ object, raw }) => {
      const name = textAt(raw, 'spec', 'githubConfigSecret')
      const isLost = name !== undefined && !there.has(`${object.namespace}/${name}`)
      return isLost && valueAt(raw, 'spec', 'vaultConfig') === undefined ? [[uidOf(raw), name] as const] : []
    }),
  )
}

/** GitHub refuses to remove a runner whose job it has not given up, and ARC asks again and again. */
const heldByJob =
  'its pod is gone, and its status names a job. ARC waits until GitHub gives the job up, which takes up to 15 minutes. If GitHub no longer lists the runner, free it with --live --fix --remove-finalizers and --github-url.'

/** Returns the runners whose job still runs: the controller waits for them on purpose. ARC never clears the job of one that lost its pod. */
function busyRunners(facts: Facts, { unreadable }: LiveFacts): readonly ObjectFact[] {
  const areKnown = unreadable['Pod'] === undefined
  const working = new Set(
    objectsOf(facts, 'Pod').flatMap(({ object, raw }) =>
      /^(Succeeded|Failed)$/.test(textAt(raw, 'status', 'phase') ?? '') ? [] : [`${object.namespace}/${object.name}`],
    ),
  )
  return arcObjects(facts, 'EphemeralRunner').filter(
    (runner) => hasJob(runner) && (!areKnown || working.has(`${runner.object.namespace}/${runner.object.name}`)),
  )
}

/** Whether the controller may keep the object for this runner: it is the runner, or belongs to the same set, as far as their owners and labels show. */
function mayWaitFor({ object, raw }: ObjectFact, runner: ObjectFact): boolean {
  if (object.namespace !== runner.object.namespace) return false
  if (object.kind === 'EphemeralRunner') return object.name === runner.object.name
  const owner = ownerOf(runner.raw, 'EphemeralRunnerSet')
  if (object.kind === 'EphemeralRunnerSet' && owner) return owner.name === object.name
  const setName = textAt(runner.raw, 'metadata', 'labels', setLabel)
  const own = object.kind === 'AutoscalingRunnerSet' ? object.name : textAt(raw, 'metadata', 'labels', setLabel)
  return setName === undefined || own === undefined || setName === own
}

const setLabel = 'actions.github.com/scale-set-name'

function deletedAt(fact: ObjectFact): number | undefined {
  return timeAt(fact.raw, 'metadata', 'deletionTimestamp')
}

/** The order in which ARC deletes: each kind blocks the kinds after it. */
const order = ['AutoscalingRunnerSet', 'EphemeralRunnerSet', 'AutoscalingListener', 'EphemeralRunner']

/** Returns, for each namespace, the stuck objects of the first kind in that order, and the number of objects that wait for them. */
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
    return roots.map((root) => ({ root, behind: counts === '' ? '' : `, which also blocks ${counts}` }))
  })
}

function cause(
  controllers: readonly ObjectFact[],
  ready: boolean,
  hung: (LeaderLease & { readonly ago: number }) | undefined,
): string {
  if (ready && hung) {
    const { namespace, name } = hung.fact.object
    return `ARC's controller is present, but its lease ${namespace}/${name} has not been renewed for ${durationText(hung.ago)}. The controller hangs or cannot reach the API server. Restart it and let it finish.`
  }
  if (ready) {
    return "ARC's controller runs but does not finish. Read the reason in its log: missing credentials, a refusal by GitHub, or a missing permission."
  }
  const state = controllers.length === 0 ? 'is no longer installed' : 'has no ready pod'
  return `only ARC's controller removes its finalizer, and that controller ${state}. Install it again in the same version and let it finish. If you remove finalizers by hand, the scale set and its runners stay at GitHub.`
}
