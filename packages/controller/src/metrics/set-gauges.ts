// Sets the gauges from the controller's state, at the time of a scrape.
import { shownDemand } from '@dayfly/runner-set/core/desired'
import { endOf } from '@dayfly/runner-set/core/runner-version'
import { phases } from '@dayfly/runner-set/model/runner'
import type { ControllerState } from '../controller.ts'
import type { SetReading } from '../set-reading.ts'
import type { Instruments } from './registry.ts'

/** Only the leader knows the demand and acts on the counts, so only it shows sets. @param budgets by account: its URL, and the App if there is one */
export function setGauges(
  instruments: Instruments,
  state: ControllerState | undefined,
  budgets: ReadonlyMap<string, number>,
): void {
  const {
    leader,
    runners,
    demand,
    runnersMin,
    runnersUsual,
    runnersMax,
    announced,
    announcedLess,
    condition,
    runnerVersionEnds,
    forgeBudget,
  } = instruments
  const ofSets = [
    runners,
    demand,
    runnersMin,
    runnersUsual,
    runnersMax,
    announced,
    announcedLess,
    condition,
    runnerVersionEnds,
    forgeBudget,
  ]
  for (const gauge of ofSets) gauge.reset()
  const leads = state?.election.state?.is === 'leading'
  leader.set(leads ? 1 : 0)
  if (!state || !leads) return
  for (const reading of state.sets) setGaugesOf(instruments, reading)
  for (const { namespace, name } of state.invalid) {
    condition.set({ namespace, set: name, type: 'Ready', status: 'False' }, 1)
  }
  const urls = new Set(state.sets.map(({ set }) => set.source.url.replace(/\/+$/, '')))
  for (const [account, remaining] of budgets) {
    const [url = ''] = account.split(' ')
    if (urls.has(url)) forgeBudget.set({ account }, remaining)
  }
}

function setGaugesOf(
  instruments: Instruments,
  {
    set: { namespace, name, scale },
    counts,
    demand,
    min,
    usual,
    announced,
    announcedReason,
    conditions,
    runnerVersion,
  }: SetReading,
) {
  const set = { namespace, set: name }
  instruments.runnersMax.set(set, scale.max)
  if (min) instruments.runnersMin.set({ ...set, reason: min.reason }, min.count)
  if (usual !== undefined) instruments.runnersUsual.set(set, usual)
  if (announced !== undefined) instruments.announced.set(set, announced)
  if (announcedReason) instruments.announcedLess.set({ ...set, reason: announcedReason }, 1)
  if (counts) for (const state of phases) instruments.runners.set({ ...set, state }, counts[state])
  const jobs = demand && demand.kind !== 'utilisation' ? shownDemand(demand, counts?.busy) : undefined
  if (jobs !== undefined) instruments.demand.set(set, jobs)
  const end = runnerVersion?.schedule && endOf(runnerVersion.schedule)
  if (end) instruments.runnerVersionEnds.set({ ...set, version: runnerVersion.version }, end.at / 1_000)
  for (const { type, status } of conditions) instruments.condition.set({ ...set, type, status }, 1)
}
