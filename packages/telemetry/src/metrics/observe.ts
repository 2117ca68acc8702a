// Reads the counts of the sets when metrics are exported.
import type { Meter } from '@opentelemetry/api'
import {
  CICD_WORKER_STATE_VALUE_AVAILABLE as available,
  CICD_WORKER_STATE_VALUE_BUSY as busy,
  CICD_PIPELINE_RUN_STATE_VALUE_EXECUTING as executing,
  CICD_PIPELINE_RUN_STATE_VALUE_FINALIZING as finalizing,
  CICD_WORKER_STATE_VALUE_OFFLINE as offline,
  CICD_PIPELINE_RUN_STATE_VALUE_PENDING as pending,
} from '@opentelemetry/semantic-conventions/incubating'
import { attribute } from '../attributes.ts'
import type { SetCounts } from '../ports.ts'
import { ofSet } from './count.ts'
import type { Instruments } from './instruments.ts'

/** The sets count by their name: a forge reports demand without the workflow. Unknown counts have no value. */
export function observeSets(meter: Meter, instruments: Instruments, sets: () => readonly SetCounts[]): void {
  const { active, workers } = instruments
  meter.addBatchObservableCallback(
    (result) => {
      for (const counts of sets()) {
        const { phases, jobs } = counts
        if (!phases) continue
        const of = { ...ofSet(counts), [attribute.pipeline]: counts.set }
        const run = (state: string, value: number) => result.observe(active, value, { ...of, [attribute.state]: state })
        if (jobs !== undefined) run(pending, Math.max(0, jobs - phases.busy))
        run(executing, phases.busy)
        run(finalizing, phases.spent + phases.ended)
        const worker = (state: string, value: number) =>
          result.observe(workers, value, { ...ofSet(counts), [attribute.workerState]: state })
        worker(available, phases.idle)
        worker(busy, phases.busy)
        worker(offline, phases.starting + phases.spent + phases.ended)
      }
    },
    [active, workers],
  )
}
