// Returns the whole state as JSON, for users and tests. It contains no token.
import type { Emulation } from './emulation.ts'
import type { Job, Runner, ScaleSet } from './state.ts'
import { statisticsOf } from './statistics.ts'

export function dumpState({ state, knobs, clock }: Emulation): object {
  return {
    now: new Date(clock.now()).toISOString(),
    knobs,
    scopes: [...state.scopes.values()].map(({ kind, name, groups }) => ({ scope: `${kind}:${name}`, groups })),
    scaleSets: [...state.sets.values()].map(dumpSet),
    jobs: [...new Set(state.jobs.values())].map(dumpJob),
    runners: [...state.runners.values()].map(dumpRunner),
  }
}

function dumpSet(set: ScaleSet): object {
  const { id, name, groupId, labels, setting, session } = set
  return {
    id,
    scope: set.scope.id,
    name,
    groupId,
    labels: labels.map((label) => label.name),
    setting,
    statistics: statisticsOf(set),
    session: session && {
      id: session.id,
      owner: session.owner,
      capacity: session.capacity,
      polling: session.wake !== undefined,
      lastPollAt: session.lastPollAt,
    },
    messages: set.messages.map((message) => message.value),
    pending: set.pending,
  }
}

function dumpJob(job: Job): object {
  const { id, runId, jobId, attempt, state, excluded, times, runs, result } = job
  const { name, labels } = job.spec
  const place = { scaleSetId: job.set?.id, runner: job.runner?.name }
  return { id, runId, name, labels, jobId, attempt, state, excluded, ...place, times, runs, result }
}

function dumpRunner(runner: Runner): object {
  const { id, name, online, connected } = runner
  return { id, name, scaleSetId: runner.set?.id, online, connected, jobId: runner.job?.jobId }
}
