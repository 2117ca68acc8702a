// Connects the controller with OpenTelemetry, if the environment names a collector.
import { CliFailure } from '@dayfly/command-line/failure'
import { version } from '@dayfly/command-line/version'
import type { Clock } from '@dayfly/kit/clock'
import type { SetCounts } from '@dayfly/telemetry/ports'
import { TelemetrySettingsError } from '@dayfly/telemetry/settings/settings-error'
import { openTelemetry } from '@dayfly/telemetry/telemetry'
import type { ControllerState } from '../../controller.ts'
import type { Journal } from '../../journal.ts'

type TelemetryOfController = {
  readonly environment: NodeJS.ProcessEnv
  readonly identity: string
  /** The clock of the journal. */
  readonly clock: Clock
  readonly journal: Journal
  readonly state: () => ControllerState | undefined
}

/** Returns how to end it. Rejects with a `CliFailure` if a variable cannot be used. */
export async function followWithTelemetry(of: TelemetryOfController): Promise<() => Promise<void>> {
  const { environment, identity, clock, journal, state } = of
  const telemetry = await openTelemetry(environment, {
    version,
    instance: identity,
    clock,
    sets: () => setsOf(state()),
    onFailure: (message) => journal.write({ kind: 'telemetry-failed', message }),
  }).catch(fail)
  if (!telemetry) return () => Promise.resolve()
  const unsubscribe = journal.subscribe(telemetry.reader)
  return async () => {
    unsubscribe()
    await telemetry.close()
  }
}

function fail(error: unknown): never {
  if (!(error instanceof TelemetrySettingsError)) throw error
  const { message: sentence, next } = error
  throw new CliFailure({ code: 'telemetry-settings', sentence, next, cause: error })
}

/** Only the leader acts on the counts and knows the demand. */
function setsOf(state: ControllerState | undefined): readonly SetCounts[] {
  if (state?.election.state?.is !== 'leading') return []
  return state.sets.map(({ set, counts, demand }) => ({
    namespace: set.namespace,
    set: set.name,
    forge: set.source.url,
    phases: counts,
    jobs: demand && demand.kind !== 'utilisation' ? demand.jobs : undefined,
  }))
}
