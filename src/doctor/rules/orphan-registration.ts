// Finds registrations at GitHub whose runner is gone: offline, idle, older than an hour, with no pod and no runner object.

import { textAt } from '../../lib/read-json.ts'
import { scaleSetsAt } from '../arc/scale-sets.ts'
import { durationText } from '../duration-text.ts'
import type { Facts, LiveFacts, ObjectFact, RegistrationFact } from '../facts.ts'
import type { Hit } from '../finding.ts'
import { withLive } from '../live-facts.ts'
import type { Rule, RuleResult } from '../rule.ts'

export const rule: Rule = {
  slug: 'orphan-registration',
  code: 'LIV307',
  title: 'GitHub lists a runner that the cluster no longer has',
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
    return { skipped: 'the registrations at the forge were not read (--github-url)' }
  }
  if (live?.namespaces) return { skipped: 'the runner of a registration may be in a namespace that was not read' }
  return withLiveRunners(facts)
}

/** Judges the registrations of this cluster's runner sets. An object that could not be read may be the missing runner. */
function withLiveRunners(facts: Facts): RuleResult {
  let unknown = 0
  const result = withLive(facts, ['Registration', 'Pod', 'EphemeralRunner', 'AutoscalingRunnerSet'], (live) => {
    const candidates = candidatesAt(facts, live)
    unknown = candidates.filter(({ registration }) => !isDecidable(registration)).length
    return candidates.flatMap((one) => judge(one, live))
  })
  if ('hits' in result && result.hits.length === 0 && unknown > 0) {
    return { skipped: `the forge does not report whether ${unknown} registrations are idle, or how old they are` }
  }
  return result
}

type Candidate = { readonly registration: RegistrationFact; readonly set: ObjectFact }

/** Returns the registrations of this cluster's scale sets that are not online, not busy, and have no object of their name. */
function candidatesAt(facts: Facts, { forge }: LiveFacts): readonly Candidate[] {
  if (!forge) return []
  const sets = scaleSetsAt(forge.url, facts.objects)
  const names = new Set(
    facts.objects.flatMap(({ object, raw }) =>
      kindsOfRunners.includes(object.kind) ? [object.name, textAt(raw, 'status', 'runnerName') ?? object.name] : [],
    ),
  )
  return forge.registrations.flatMap((registration) => {
    const set = registration.set === undefined ? undefined : sets.get(registration.set)
    const isMissing = registration.status !== 'online' && registration.busy !== true && !names.has(registration.name)
    return set && isMissing ? [{ registration, set }] : []
  })
}

const kindsOfRunners = ['Pod', 'Job', 'EphemeralRunner']

function isDecidable({ status, busy, createdAt }: RegistrationFact): boolean {
  return status === 'offline' && busy === false && createdAt !== undefined
}

function judge({ registration, set }: Candidate, { at }: LiveFacts): readonly Hit[] {
  const { name, id, createdAt } = registration
  if (!isDecidable(registration) || createdAt === undefined || at - createdAt < minAge) return []
  const { kind, namespace, name: owner } = set.object
  return [
    {
      object: { apiVersion: '', kind: 'Registration', namespace: undefined, name },
      document: undefined,
      path: [],
      message: `${name} (id ${id}) has been registered at GitHub for ${durationText(at - createdAt)}, in the scale set of ${kind} ${namespace}/${owner}. It is offline and idle, and the cluster has no pod and no runner of its name. Its runner ended without deregistering. The registration counts towards the account's limit until it is removed.`,
    },
  ]
}
