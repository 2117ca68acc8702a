// The metrics: names, units and meaning by the semantic conventions of CI/CD.
import type { Meter } from '@opentelemetry/api'
import {
  METRIC_CICD_PIPELINE_RUN_ACTIVE,
  METRIC_CICD_PIPELINE_RUN_DURATION,
  METRIC_CICD_PIPELINE_RUN_ERRORS,
  METRIC_CICD_SYSTEM_ERRORS,
  METRIC_CICD_WORKER_COUNT,
} from '@opentelemetry/semantic-conventions/incubating'

export type Instruments = ReturnType<typeof createInstruments>

/** A job takes from seconds to hours. The defaults of the SDK end at ten seconds. */
const boundaries = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 21_600]

export function createInstruments(meter: Meter) {
  return {
    duration: meter.createHistogram(METRIC_CICD_PIPELINE_RUN_DURATION, {
      unit: 's',
      description: 'How long jobs waited (pending) and ran (executing), and how long runners took to go (finalizing).',
      advice: { explicitBucketBoundaries: boundaries },
    }),
    active: meter.createObservableUpDownCounter(METRIC_CICD_PIPELINE_RUN_ACTIVE, {
      unit: '{run}',
      description: 'Jobs that wait (pending) or run (executing), and runners that go (finalizing).',
    }),
    workers: meter.createObservableUpDownCounter(METRIC_CICD_WORKER_COUNT, {
      unit: '{count}',
      description: 'Runners that wait for a job (available), have one (busy), or start or go (offline).',
    }),
    runErrors: meter.createCounter(METRIC_CICD_PIPELINE_RUN_ERRORS, {
      unit: '{error}',
      description: 'Jobs that failed, and failures of runners with a job.',
    }),
    systemErrors: meter.createCounter(METRIC_CICD_SYSTEM_ERRORS, {
      unit: '{error}',
      description: 'Failures of runners without a job, of the forge, and of the cluster.',
    }),
    dropped: meter.createCounter('dayfly.telemetry.dropped', {
      unit: '{life}',
      description:
        'Lives without a trace: too many were open, too many spans waited, or the collector did not take them.',
    }),
  }
}
