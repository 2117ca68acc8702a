// A registration at GitHub whose runner is gone: no pod, no runner object, offline, no job, and old enough not to be on its way.

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
  title: 'A runner is registered that the cluster no longer has',
  severity: 'warning',
  confidence: 'high',
  modes: ['live'],
  fix: 'guided',
  check,
}

/** Milliseconds: whatever starts as slowly as runners can has long come by then. */
const patience = 3_600_000

function check(facts: Facts): RuleResult {
  const live = facts.live
  if (live && !live.forge && live.unreadable['Registration'] === undefined) {
    return { skipped: 'the registrations at the forge were not read (--github-url)' }
  }
  if (live?.namespaces) return { skipped: 'a runner of its name may be in a namespace that was not read' }
  return withLiveRunners(facts)
}

/** Runner sets tell which registrations are this cluster's; what could not be read of them might be the missing runner. */
function withLiveRunners(facts: Facts): RuleResult {
  let unknown = 0
  const result = withLive(facts, ['Registration', 'Pod', 'EphemeralRunner', 'AutoscalingRunnerSet'], (live) => {
    const candidates = leftOver(facts, live)
    unknown = candidates.filter(({ registration }) => !isJudged(registration)).length
    return candidates.flatMap((one) => judge(one, live))
  })
  if ('hits' in result && result.hits.length === 0 && unknown > 0) {
    return { skipped: `of ${unknown} registrations the forge does not say whether they are idle, or how old they are` }
  }
  return result
}

type Candidate = { readonly registration: RegistrationFact; readonly set: ObjectFact }

/** Of scale sets of this cluster, not online, not busy, and without anything of their name. */
function leftOver(facts: Facts, { forge }: LiveFacts): readonly Candidate[] {
  if (!forge) return []
  const sets = scaleSetsAt(forge.url, facts.objects)
  const names = new Set(
    facts.objects.flatMap(({ object, raw }) =>
      namesakes.includes(object.kind) ? [object.name, textAt(raw, 'status', 'runnerName') ?? object.name] : [],
    ),
  )
  return forge.registrations.flatMap((registration) => {
    const set = registration.set === undefined ? undefined : sets.get(registration.set)
    const isMissing = registration.status !== 'online' && registration.busy !== true && !names.has(registration.name)
    return set && isMissing ? [{ registration, set }] : []
  })
}

const namesakes = ['Pod', 'Job', 'EphemeralRunner']

function isJudged({ status, busy, createdAt }: RegistrationFact): boolean {
  return status === 'offline' && busy === false && createdAt !== undefined
}

function judge({ registration, set }: Candidate, { at }: LiveFacts): readonly Hit[] {
  const { name, id, createdAt } = registration
  if (!isJudged(registration) || createdAt === undefined || at - createdAt < patience) return []
  const { kind, namespace, name: owner } = set.object
  return [
    {
      object: { apiVersion: '', kind: 'Registration', namespace: undefined, name },
      document: undefined,
      path: [],
      message: `GitHub has had ${name} (id ${id}) registered for ${durationText(at - createdAt)} for the scale set of ${kind} ${namespace}/${owner}: it is offline and idle, and the cluster has no pod and no runner of its name. Its runner ended without deregistering; the registration counts towards the account's limit until somebody removes it.`,
    },
  ]
}
