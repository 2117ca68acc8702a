// Repairs an uninstall of ARC that hangs because its controller is gone or has lost its credentials.
// Walks from the listener and the runners to the root, and removes one finalizer at a time.
import type { ObjectFact } from '../facts.ts'
import { type Cluster, isTerminating, targetOf } from './cluster.ts'
import type { PlanOptions } from './plan-options.ts'
import { type Found, guide, join, nothing, type Proposal, refuse } from './proposal.ts'
import { remainsOf } from './remains.ts'
import { type Action, type Draft, draftKey, type Guard, type Target } from './step.ts'
import { type Authority, authorityIn } from './uninstall-authority.ts'
import { arcFinalizersOf, belowOf, livingSet, membersOf, setOf, unreadDependency } from './uninstall-members.ts'
import { judgeRunner, type RunnerVerdict } from './uninstall-runner.ts'

export function unlockUninstall(found: Found, cluster: Cluster, options: PlanOptions): Proposal {
  const verdict = authorityIn(cluster)
  if (verdict.is === 'refused') return refuse({ found }, verdict.because)
  if (!options.restoreDeclined) return guide({ found }, verdict.advice)
  const members = membersOf(cluster)
  const chain: Chain = { found, cluster, options, members, blocked: new Map(), last: new Map() }
  const freeing = join(
    members.map((fact) => {
      const authority = verdict.over(setOf(cluster, fact))
      return authority ? free(chain, fact, authority) : block(chain, fact, verdict.otherwise)
    }),
  )
  const freed = members.filter(({ object }) => !chain.blocked.has(object.uid ?? ''))
  return { ...freeing, stays: remainsOf(cluster, freed) }
}

type Chain = {
  readonly found: Found
  readonly cluster: Cluster
  readonly options: PlanOptions
  readonly members: readonly ObjectFact[]
  /** The objects that cannot be freed, by uid, with the reason. Their owners cannot be freed either. */
  readonly blocked: Map<string, string>
  /** The last step on each object, by uid. */
  readonly last: Map<string, string>
}

function free(chain: Chain, fact: ObjectFact, authority: Authority): Proposal {
  const { cluster, members, options } = chain
  const target = targetOf(fact)
  if (!target) return refuse(findingOn(chain, fact), 'the cluster returned the object without a uid or version')
  const unread = unreadDependency(cluster, fact)
  if (unread !== undefined) return block(chain, fact, unread)
  const below = belowOf(cluster, members, fact)
  const held = below.find(({ object }) => chain.blocked.has(object.uid ?? ''))
  if (held) return block(chain, fact, `${held.object.kind} ${held.object.name} must be deleted first`)
  const runner = fact.object.kind === 'EphemeralRunner' ? judgeRunner(cluster, fact) : undefined
  if (runner?.is === 'kept') return block(chain, fact, runner.because)
  if (runner?.is === 'idle' && !options.idleRunnersEnd) {
    block(chain, fact, runner.advice)
    return guide(findingOn(chain, fact), runner.advice)
  }
  const living = livingSet(cluster, members, fact)
  if (living !== undefined) return block(chain, fact, `the runner set ${living} still exists and needs it`)
  const before = below.flatMap((child) => chain.last.get(child.object.uid ?? '') ?? [])
  const evidence = { class: 'dead-hard', says: authority.proof } as const
  const drafts = inOrder(
    before,
    removals({ fact, target, runner }).map(({ action, guard }) => {
      const guards = [authority.guard, ...(guard ? [guard] : []), ...below.flatMap(absent)]
      return { rule: chain.found.rule, action, evidence, guards }
    }),
  )
  const last = drafts.at(-1)
  if (last) chain.last.set(target.uid, draftKey(last.action))
  return { ...nothing, drafts }
}

function block(chain: Chain, fact: ObjectFact, because: string): Proposal {
  chain.blocked.set(fact.object.uid ?? '', because)
  return refuse(findingOn(chain, fact), because)
}

function findingOn({ found }: Chain, { object }: ObjectFact): { readonly found: Found } {
  return { found: { rule: found.rule, object } }
}

function absent(fact: ObjectFact): Guard[] {
  const target = targetOf(fact)
  return target ? [{ is: 'absent', target }] : []
}

type Removal = { readonly action: Action; readonly guard?: Guard }
type Subject = { readonly fact: ObjectFact; readonly target: Target; readonly runner: RunnerVerdict | undefined }

/** Returns the actions that end the object, in their order, each with its own condition. */
function removals({ fact, target, runner }: Subject): readonly Removal[] {
  const deletion: readonly Action[] = isTerminating(fact)
    ? []
    : [{ do: 'delete', target, gracePeriodSeconds: undefined }]
  const release = arcFinalizersOf(fact).map((finalizer): Action => ({ do: 'remove-finalizer', target, finalizer }))
  if (!runner || runner.is === 'kept') return [...deletion, ...release].map((action) => ({ action }))
  const registration = runner.registration
  const deregistration: readonly Action[] = registration ? [{ do: 'deregister', registration }] : []
  if (runner.is === 'free') {
    const guard: Guard = { is: 'not-busy', target }
    return [...deletion, ...deregistration, ...release].map((action) => ({ action, guard }))
  }
  // Nothing ends the runner before the forge has removed its registration, because only the forge knows that no job comes.
  const guard = (registered: boolean): Guard => ({ is: 'idle-at-forge', target, registered })
  return [
    ...deregistration.map((action) => ({ action, guard: guard(true) })),
    ...[...deletion, ...release].map((action) => ({ action, guard: guard(false) })),
  ]
}

/** Makes each draft wait for the one before it. */
function inOrder(first: readonly string[], drafts: readonly Omit<Draft, 'after'>[]): readonly Draft[] {
  return drafts.map((draft, index) => {
    const before = drafts[index - 1]
    return { ...draft, after: before ? [draftKey(before.action)] : first }
  })
}
