// Compares two lists of a set's runners: which steps began, which ended, and the demand.
import type { Instant } from '@dayfly/kit/clock'
import type { Demand } from '@dayfly/runner-set/model/demand'
import type { ForgeEvent } from '@dayfly/runner-set/model/forge-event'
import type { ListedRunner } from './wire.ts'

/** The step of each busy runner, by the runner's name. */
export type Steps = ReadonlyMap<string, string>

export function stepsOf(runners: readonly ListedRunner[]): Steps {
  return new Map(runners.flatMap(({ name, step }) => (step === undefined ? [] : [[name, step] as const])))
}

/** A list does not say how a step ended. @param repository the place of the runners, for display */
export function stepEvents(before: Steps, after: Steps, at: Instant, repository: string): readonly ForgeEvent[] {
  const events: ForgeEvent[] = []
  for (const [runner, step] of before) {
    if (after.get(runner) !== step) events.push({ kind: 'job-finished', runner, jobId: step, result: 'unknown', at })
  }
  for (const [runner, step] of after) {
    if (before.get(runner) === step) continue
    const job = { id: step, name: 'step', repository }
    events.push({ kind: 'job-started', runner, job, at, queuedAt: undefined })
  }
  return events
}

/** A busy runner counts in any status: its step goes on. An idle one counts while it can take a step. */
export function demandOf(runners: readonly ListedRunner[]): Extract<Demand, { kind: 'utilisation' }> {
  const busy = runners.filter(({ step }) => step !== undefined).length
  const idle = runners.filter(({ step, status, isCordoned }) => !step && status === 'ONLINE' && !isCordoned).length
  return { kind: 'utilisation', busy, idle }
}
