// Finds registrations at the forge whose runner is gone: offline or cordoned, idle, older than an hour, without an object of the runner.
import { anyAccountFlag } from '@dayfly/forges/open/account-flags'
import { textAt } from '@dayfly/kit/read-json'
import { bitbucket } from '@dayfly/runner-set/model/forges/bitbucket'
import { scaleSetsAt } from '../arc/scale-sets.ts'
import { ownRunners, shownName } from '../bitbucket-runners.ts'
import { durationText } from '../duration-text.ts'
import type { Facts, LiveFacts, RegistrationFact } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { withLive } from '../live-facts.ts'
import type { Rule, RuleResult } from '../rule.ts'

export const rule: Rule = {
  slug: 'orphan-registration',
  code: 'LIV307',
  title: 'The forge lists a runner that the cluster no longer has',
  severity: 'warning',
  confidence: 'high',
  modes: ['live'],
  fix: 'guided',
  check,
}

/** Milliseconds: even a slow runner has started by then. */
const minAge = 3_600_000

function check(facts: Facts): RuleResult {
  const live = facts.live
  if (live && !live.forge && live.unreadable['Registration'] === undefined) {
    return { skipped: `the registrations at the forge were not read (${anyAccountFlag})` }
  }
  if (live?.namespaces) return { skipped: 'the runner of a registration may be in a namespace that was not read' }
  return withLiveRunners(facts)
}

const kinds = ['Registration', 'Pod', 'Job', 'EphemeralRunner', 'AutoscalingRunnerSet', 'RunnerSet']

/** Judges the registrations of this cluster's runner sets. An object that could not be read may be the missing runner. */
function withLiveRunners(facts: Facts): RuleResult {
  let unknown = 0
  const result = withLive(facts, kinds, (live) => {
    const candidates = candidatesAt(facts, live)
    unknown = candidates.filter(({ registration }) => !isDecidable(registration)).length
    return candidates.flatMap((one) => judge(one, live))
  })
  if ('hits' in result && result.hits.length === 0 && unknown > 0) {
    return { skipped: `the forge does not report whether ${unknown} registrations are idle, or how old they are` }
  }
  return result
}

type Candidate = {
  readonly registration: RegistrationFact
  /** The forge, its owner there, and what the cluster lacks, for the message. */
  readonly at: string
  readonly owner: string
  readonly lacks: string
  readonly limit: string
}

function candidatesAt(facts: Facts, live: LiveFacts): readonly Candidate[] {
  const found = [...ofScaleSets(facts, live), ...ofBitbucket(facts, live)]
  return found.filter(({ registration: { status, busy } }) => status !== 'online' && busy !== true)
}

/** Returns the registrations of this cluster's scale sets that have no object of their name. */
function ofScaleSets(facts: Facts, { forge }: LiveFacts): readonly Candidate[] {
  if (!forge) return []
  const sets = scaleSetsAt(forge.url, facts.objects)
  const names = new Set(
    facts.objects.flatMap(({ object, raw }) =>
      kindsOfRunners.includes(object.kind) ? [object.name, textAt(raw, 'status', 'runnerName') ?? object.name] : [],
    ),
  )
  return forge.registrations.flatMap((registration) => {
    const set = registration.set === undefined ? undefined : sets.get(registration.set)
    if (!set || names.has(registration.name)) return []
    const owner = `in the scale set of ${set.object.kind} ${set.object.namespace}/${set.object.name}`
    return [
      { registration, at: 'GitHub', owner, lacks: 'no pod and no runner of its name', limit: "the account's limit" },
    ]
  })
}

function ofBitbucket({ objects }: Facts, { forge }: LiveFacts): readonly Candidate[] {
  return ownRunners(forge?.registrations ?? [], objects).flatMap(({ registration, owner, isThere }) =>
    isThere
      ? []
      : [
          {
            registration,
            at: 'Bitbucket',
            owner: `by ${owner}`,
            lacks: 'no Job and no pod of it',
            limit: `the limit of ${bitbucket.runnersMax} runners`,
          },
        ],
  )
}

const kindsOfRunners = ['Pod', 'Job', 'EphemeralRunner']

/** A cordoned runner gets no job, and its forge does not say whether it is connected. */
function isDecidable({ status, busy, isCordoned, createdAt }: RegistrationFact): boolean {
  return (status === 'offline' || isCordoned === true) && busy === false && createdAt !== undefined
}

function judge({ registration, at: forge, owner, lacks, limit }: Candidate, { at }: LiveFacts): readonly Hit[] {
  const { id, isCordoned, createdAt } = registration
  if (!isDecidable(registration) || createdAt === undefined || at - createdAt < minAge) return []
  const name = shownName(registration)
  const age = durationText(at - createdAt)
  const state = isCordoned ? 'It is cordoned and idle' : 'It is offline and idle'
  return [
    {
      object: { apiVersion: '', kind: 'Registration', namespace: undefined, name },
      document: undefined,
      path: [],
      message: `${name} (id ${id}) has been registered at ${forge} for ${age}, ${owner}. ${state}, and the cluster has ${lacks}. Its runner ended without deregistering. The registration counts towards ${limit} until it is removed.`,
    },
  ]
}
