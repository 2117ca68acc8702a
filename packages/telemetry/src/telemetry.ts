// The door: reads the settings, and loads OpenTelemetry only if they switch it on.
import type { Telemetry, TelemetryOptions } from './ports.ts'
import { type Environment, readSettings } from './settings/settings.ts'

/** Returns undefined if no variable names a collector. Rejects with a `TelemetrySettingsError` if one cannot be used. */
export async function openTelemetry(
  environment: Environment,
  options: TelemetryOptions,
): Promise<Telemetry | undefined> {
  const settings = readSettings(environment)
  if (!settings) return undefined
  const { startSdk } = await import('./sdk.ts')
  return startSdk(settings, options)
}
