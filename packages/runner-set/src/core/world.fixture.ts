// Worlds for the tables of the core's tests: a line of text becomes what a tick sees.
import type { Decision } from '../model/action.ts'
import { defaultLimits } from '../model/limits.ts'
import type { PodFacts, Registration, Runner } from '../model/runner.ts'
import { defaultEngine, defaultJobPods, type RunnerSet } from '../model/runner-set.ts'
import type { SetWorld } from '../model/world.ts'
import { needOf } from './need.ts'
import { directNetwork } from './network.ts'
import { isUnproved, occupies, phaseOf } from './phase.ts'
import { templateHash } from './pod.ts'
import { podUseOf } from './pod-use.ts'
import { noReruns } from './rerun/reruns.ts'
import { minimumOf } from './schedule.ts'
import { noHistory } from './state/history.ts'
import { requestedRunner } from './state/runner-facts.ts'

/** The present of every table. */
export const now = 1_800_000_000_000
export const limits = defaultLimits
/** The random parts of the names that one tick may use. */
export const ids = Array.from({ length: limits.startsPerTick }, (_, index) => `id${index}`)

/** Returns how many runners a decision starts. */
export function startsIn({ actions }: Decision): number {
  return actions.filter(({ kind }) => kind === 'start-runner').length
}

export function runnerSet(over: Partial<RunnerSet> = {}): RunnerSet {
  return {
    name: 'linux',
    namespace: 'ci',
    uid: '11111111-1111-4111-8111-111111111111',
    generation: 1,
    source: {
      kind: 'github',
      url: 'https://github.com/acme',
      credentialsSecret: 'github',
      runnerGroup: undefined,
      labels: ['linux'],
      proxy: undefined,
      ca: undefined,
    },
    network: directNetwork,
    scale: { min: 0, max: 10 },
    paused: false,
    docker: 'none',
    jobs: 'host',
    jobPods: defaultJobPods,
    dockerEngine: defaultEngine,
    templateChecks: 'enforce',
    keepFinishedMs: 0,
    keepFailedMs: 0,
    startMaxMs: 600_000,
    idleMaxMs: undefined,
    lifeMaxMs: undefined,
    queueTimeMs: undefined,
    template: {},
    ...over,
  }
}

export function podFacts(over: Partial<PodFacts> = {}): PodFacts {
  return {
    uid: 'uid',
    resourceVersion: '1',
    createdAt: now - 60_000,
    progressedAt: over.createdAt ?? now - 60_000,
    finished: over.end !== undefined,
    node: 'node-1',
    startedAt: undefined,
    end: undefined,
    disrupted: undefined,
    startFailure: undefined,
    helperCrash: undefined,
    nodeSilentSince: undefined,
    deletionDeadline: undefined,
    registrationId: '7',
    templateHash: templateHash(runnerSet()),
    ...over,
  }
}

export function registration(name: string, over: Partial<Registration> = {}): Registration {
  return { id: '7', name, status: 'unknown', busy: 'unknown', ...over }
}

export function runner(name: string, facts: Partial<PodFacts> = {}, over: Partial<Runner> = {}): Runner {
  return {
    ...requestedRunner(name, now),
    pod: { is: 'present', value: podFacts(facts), at: now },
    registration: { is: 'present', value: registration(name), at: now - 60_000 },
    ...over,
  }
}

export const job = { id: 'job-1', name: 'test', repository: 'acme/app', startedAt: now - 10_000, finished: undefined }
export const ended = { exitCode: 0, reason: 'Completed', at: now - 1_000 }

/** A world in which everything is known, the template is accepted, and every runner given is looked at. */
export function world(runners: readonly Runner[], over: Partial<SetWorld> = {}): SetWorld {
  const set = over.set ?? runnerSet()
  const hash = templateHash(set)
  const counts = {
    starting: 0,
    idle: 0,
    busy: 0,
    spent: 0,
    ended: 0,
    occupied: runners.filter(occupies).length,
    unproved: runners.filter(isUnproved).length,
    requested: runners.filter(({ pod }) => pod.is === 'requested').length,
  }
  for (const each of runners) counts[phaseOf(each)]++
  const base: SetWorld = {
    set,
    minimum: minimumOf(set.scale, now),
    usual: undefined,
    demandDays: [],
    templateHash: hash,
    template: { is: 'accepted', hash, warnings: [], use: podUseOf({}), at: now - 100_000 },
    demand: { known: true, value: { kind: 'assigned', jobs: 0 }, at: now },
    fleet: undefined,
    scaledBy: 0,
    quietSince: now - 1_000,
    counts: { known: true, value: counts, at: now },
    attention: runners,
    need: undefined,
    unassigned: undefined,
    late: undefined,
    surplus: runners.filter((each) => ['starting', 'idle'].includes(phaseOf(each))),
    departed: [],
    pendingRemovals: [],
    history: noHistory,
    delays: undefined,
    underWay: undefined,
    jobs: [],
    lateJobs: 0,
    reruns: noReruns,
    unserved: undefined,
    stuck: undefined,
    allowance: { now: 1_000, nextAt: undefined },
    quotas: [],
    pool: undefined,
    capacity: { announced: set.scale.max, limit: undefined, tightAt: undefined, moreSince: undefined },
    unplaced: undefined,
    outdated: { count: 0, next: undefined },
    forgeFailure: undefined,
    settingsFailure: undefined,
    runnerVersion: undefined,
    registrationsAt: now,
    freedAt: undefined,
    leftAt: undefined,
    registrationsDoubtful: false,
    underway: { 'check-template': false, 'list-registrations': false, report: true },
    retries: {},
    reported: undefined,
    conditions: [],
  }
  const given = { ...base, ...over }
  return { ...given, need: 'need' in over ? over.need : needOf(given, limits, now) }
}
