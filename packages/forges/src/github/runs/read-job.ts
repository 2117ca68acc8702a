// Reads one job of a run as GitHub's REST API shows it.
import { asJsonObject, listAt } from '@dayfly/kit/read-json'
import type { ForgeJob } from '@dayfly/runner-set/model/rerun'
import { instantField, integerField, opaqueField, textField, type Wire } from '../calls/wire.ts'

const states: Readonly<Record<string, ForgeJob['state']>> = {
  success: 'succeeded',
  neutral: 'succeeded',
  skipped: 'skipped',
  cancelled: 'cancelled',
}

/** Returns undefined without an id. A conclusion that is new counts as a failure, and a job without one is open. */
export function readJob(wire: Wire): ForgeJob | undefined {
  const id = integerField(wire, 'id')
  if (id === undefined) return undefined
  const conclusion = opaqueField(wire, 'conclusion')
  const steps = listAt(wire, 'steps')
    .map(asJsonObject)
    .filter((step) => step !== undefined)
  const stepWith = (is: (step: Wire) => boolean) => {
    const found = steps.find(is)
    return found && textField(found, 'name', 200)
  }
  return {
    id: `${id}`,
    name: textField(wire, 'name', 200) ?? '',
    runner: opaqueField(wire, 'runner_name'),
    attempt: integerField(wire, 'run_attempt') ?? 1,
    state: opaqueField(wire, 'status') === 'completed' && conclusion ? (states[conclusion] ?? 'failed') : 'open',
    failedStep: stepWith((step) => ['failure', 'timed_out'].includes(opaqueField(step, 'conclusion') ?? '')),
    openStep: stepWith((step) => opaqueField(step, 'status') === 'in_progress'),
    finishedAt: instantField(wire, 'completed_at'),
    sha: opaqueField(wire, 'head_sha') ?? '',
  }
}
