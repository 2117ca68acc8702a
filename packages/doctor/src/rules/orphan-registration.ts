// Finds registrations at the forge whose runner is gone: offline or cordoned, idle, and without an object of the runner.
import { anyAccountFlag } from '@dayfly/forges/open/account-flags'
import { counted } from '@dayfly/kit/age-text'
import { textAt } from '@dayfly/kit/read-json'
import { forgeTraits } from '@dayfly/runner-set/model/forge-traits'
import type { ForgeKind } from '@dayfly/runner-set/model/runner-set'
import { scaleSetsAt } from '../arc/scale-sets.ts'
import { autoscalerRunners, shownName } from '../bitbucket-runners.ts'
import { durationText } from '../duration-text.ts'
import type { Facts, LiveFacts, RegistrationFact } from '../facts.ts'
import type { Confidence, Hit } from '../finding.ts'
import { type LeftRunner, leftRunners } from '../gitea-runners.ts'
import { withLive } from '../live-facts.ts'
import type { Rule, RuleResult } from '../rule.ts'
import { setRunners } from '../set-runners.ts'

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

const kinds = [
  ...['Registration', 'Pod', 'Job', 'EphemeralRunner', 'AutoscalingRunnerSet', 'RunnerSet'],
  ...['StatefulSet', 'Deployment'],
]

/** Judges the registrations of this cluster's runners. An object that could not be read may be the missing runner. */
function withLiveRunners(facts: Facts): RuleResult {
  let unknown = 0
  const result = withLive(facts, kinds, (live) => {
    const candidates = candidatesAt(facts, live)
    unknown = candidates.filter((one) => !isDecidable(one)).length
    return candidates.flatMap((one) => judge(one, live))
  })
  if ('hits' in result && result.hits.length === 0 && unknown > 0) {
    const many = counted(unknown, 'registration')
    return { skipped: `the forge does not show of ${many} whether it is idle, or how old it is` }
  }
  return result
}

type Candidate = {
  readonly registration: RegistrationFact
  readonly name: string
  readonly forge: ForgeKind
  /** Its owner at the forge, for the message. */
  readonly owner: string
  /** A sentence: why no runner uses it. */
  readonly because: string
  readonly confidence?: Confidence
  /** Facts other than its age show that it is no start under way. */
  readonly isOver?: true
}

function candidatesAt(facts: Facts, live: LiveFacts): readonly Candidate[] {
  const registrations = live.forge?.registrations ?? []
  const found = [
    ...ofScaleSets(facts, live),
    ...ofOthers(registrations, facts),
    ...leftRunners(registrations, facts).map(ofWorkload),
  ]
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
    const because = `The cluster has no pod and no runner of its name. ${ended}`
    return [{ registration, name: registration.name, forge: 'github', owner, because }]
  })
}

function ofOthers(registrations: readonly RegistrationFact[], { objects }: Facts): readonly Candidate[] {
  const own = [...autoscalerRunners(registrations, objects), ...setRunners(registrations, objects)]
  return own.flatMap(({ registration, forge, owner, isThere }) =>
    isThere
      ? []
      : [
          {
            registration,
            name: shownName(registration),
            forge,
            owner: `by ${owner}`,
            because: `The cluster has no Job and no pod of it. ${ended}`,
          },
        ],
  )
}

/** An autoscaler may want the pod of a claim again, and another cluster may have a runner of the same name. */
function ofWorkload({ registration, workload, because, claim }: LeftRunner): Candidate {
  const { kind, namespace, name } = workload
  const kept =
    claim === undefined ? '' : ` The claim ${claim} keeps it for a scale-up: without one, delete the claim with it.`
  return {
    registration,
    name: registration.name,
    forge: 'gitea',
    owner: `by ${kind} ${namespace}/${name}`,
    because: `${because.charAt(0).toUpperCase()}${because.slice(1)}.${kept}`,
    confidence: 'medium',
    isOver: true,
  }
}

const ended = 'Its runner ended without deregistering.'

const kindsOfRunners = ['Pod', 'Job', 'EphemeralRunner']

/** A cordoned runner gets no job, and its forge does not say whether it is connected. */
function isDecidable({ registration: { status, busy, isCordoned, createdAt }, isOver }: Candidate): boolean {
  const isIdle = (status === 'offline' || isCordoned === true) && busy === false
  return isIdle && (createdAt !== undefined || isOver === true)
}

function judge(candidate: Candidate, { at }: LiveFacts): readonly Hit[] {
  const { registration, name, forge, owner, because, confidence } = candidate
  const { id, isCordoned, createdAt } = registration
  if (!isDecidable(candidate) || at - (createdAt ?? 0) < minAge) return []
  const age = createdAt === undefined ? '' : ` for at least ${durationText(at - createdAt)}`
  const state = isCordoned ? 'It is cordoned and idle.' : 'It is offline and idle.'
  return [
    {
      object: { apiVersion: '', kind: 'Registration', namespace: undefined, name, uid: id },
      document: undefined,
      path: [],
      message: `${name} (id ${id}) has been registered at ${forges[forge]}${age}, ${owner}. ${state} ${because} ${harms[forge]}`,
      ...(confidence === undefined ? {} : { confidence }),
    },
  ]
}

const forges: Readonly<Record<ForgeKind, string>> = { github: 'GitHub', bitbucket: 'Bitbucket', gitea: 'Gitea' }

const harms: Readonly<Record<ForgeKind, string>> = {
  github: "The registration counts towards the account's limit until it is removed.",
  bitbucket: `The registration counts towards the limit of ${forgeTraits.bitbucket.runnersMax} runners until it is removed.`,
  gitea: 'Its credential works until the registration is removed.',
}
