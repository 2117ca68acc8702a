// The end of a runner's version: GitHub says when, and then refuses the runner, or gives it no job without a word.
import { type Answer, jsonAnswer } from '@dayfly/kit/http'
import type { Call } from '../server/router.ts'
import type { Emulation } from './emulation.ts'
import { brokerError, restError } from './refusal.ts'
import type { Runner } from './state.ts'

/** A version that GitHub does not know has no schedule: it is too old, was withdrawn or was never released. */
export function versionSchedule({ knobs }: Emulation, call: Call): Answer {
  const version = call.params['version'] ?? ''
  const ends = knobs.versionEnds[version]
  if (!ends) throw restError(404, 'Not Found')
  const { runtime, registration } = ends
  // GitHub leaves the member out while it has planned no end of registrations.
  const more = registration === null ? {} : { registration_deprecates_at: registration }
  return jsonAnswer(200, { runner_version: version, runtime_deprecates_at: runtime, ...more })
}

/** Refuses a runner whose version can no longer register. */
export function requireRegistrable(emulation: Emulation, version: string): void {
  const { versionEnds, endedVersions } = emulation.knobs
  const isOver = isLow(emulation, version) || isPast(emulation, versionEnds[version]?.registration)
  if (endedVersions === 'refused' && isOver) throw tooOld(version)
}

/** Refuses a poll of a runner whose version gets no jobs. A job that runs goes on. */
export function requireWorking(emulation: Emulation, { version = '', job }: Runner): void {
  if (!job && emulation.knobs.endedVersions === 'refused' && isEnded(emulation, version)) throw tooOld(version)
}

/** Whether the runner may get a job. */
export function getsJobs(emulation: Emulation, { version = '' }: Runner): boolean {
  return !isEnded(emulation, version)
}

function isEnded(emulation: Emulation, version: string): boolean {
  return isLow(emulation, version) || isPast(emulation, emulation.knobs.versionEnds[version]?.runtime)
}

function isPast({ clock }: Emulation, time: string | null | undefined): boolean {
  return time !== null && time !== undefined && Date.parse(time) <= clock.now()
}

function tooOld(version: string) {
  return brokerError(
    403,
    'RunnerVersionTooOld',
    `Runner version v${version} is deprecated and cannot receive messages.`,
  )
}

/** A runner that names no version is a stub of a test. */
function isLow({ knobs: { minimumVersion } }: Emulation, version: string): boolean {
  if (minimumVersion === '' || version === '') return false
  const parts = version.split('.').map(Number)
  const minimum = minimumVersion.split('.').map(Number)
  const at = minimum.findIndex((number, index) => (parts[index] ?? 0) !== number)
  return at >= 0 && (parts[at] ?? 0) < (minimum[at] ?? 0)
}
