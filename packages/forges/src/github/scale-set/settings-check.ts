// Decides when the settings of the scale set are compared, and what is reported of it.
import { backoffMs } from '@dayfly/kit/backoff'
import type { Instant } from '@dayfly/kit/clock'
import type { Random } from '@dayfly/kit/random'
import type { ForgeEvent } from '@dayfly/runner-set/model/forge-event'
import { type Alignment, settingsFailure } from '../settings.ts'

/** While the settings differ, the operator may correct either side at any time. */
const recheckMs = 10 * 60_000

export class SettingsCheck {
  #dueAt: Instant | undefined = 0
  /** Checks in a row that failed for a reason that may pass. */
  #failures = 0
  /** The message that was reported; empty: both sides agree. Undefined before the first report. */
  #reported: string | undefined

  isDue(now: Instant): boolean {
    return this.#dueAt !== undefined && this.#dueAt <= now
  }

  /** Begins the check that is due. A request during the check makes another one due. */
  begin(): void {
    this.#dueAt = undefined
  }

  /** The settings have changed on our side, or the scale set is another one. */
  request(): void {
    this.#dueAt = 0
    this.#failures = 0
  }

  /** Returns the event to report, if the result is a new one. The first failure that may pass is not reported. */
  report(alignment: Alignment, now: Instant, random: Random): readonly ForgeEvent[] {
    const failure = settingsFailure(alignment)
    this.#failures = alignment.retry ? this.#failures + 1 : 0
    const retryMs = alignment.retry ? backoffMs({ baseMs: 5_000, capMs: recheckMs }, this.#failures, random) : recheckMs
    this.#dueAt ??= failure && now + retryMs
    const message = failure?.message ?? ''
    if (message === this.#reported || this.#failures === 1) return []
    this.#reported = message
    return [{ kind: 'settings', failure }]
  }
}
