// Asks GitHub when it ends a version of the runner
// (https://docs.github.com/en/rest/actions/self-hosted-runners, https://github.blog/changelog/2026-09-03-github-actions-early-september-2026-updates).
import type { Clock, Instant } from '@dayfly/kit/clock'
import { asJsonObject, type JsonObject } from '@dayfly/kit/read-json'
import { abortable } from '@dayfly/kit/signals'
import type { VersionSchedule } from '@dayfly/runner-set/model/runner-version'
import { errorFromAnswer } from '../calls/errors.ts'
import type { RestAnswer } from '../calls/rest.ts'
import { oncePolicy } from '../calls/retry.ts'
import { field, instantField } from '../calls/wire.ts'
import type { SourceHow } from '../credentials/source.ts'

/** github.com and ghe.com let no lower version register (https://github.blog/changelog/2026-06-12-github-actions-minimum-version-enforcement-timeline-for-self-hosted-runners). */
export const minimumVersion = '2.329.0'

/** How long a response is used, in milliseconds: a refusal as well. */
export const scheduleMs = 24 * 3_600_000

/** `schedule` is undefined if GitHub does not say it: the credential may not ask, or GitHub knows no such version. */
export type Scheduled = { readonly schedule: VersionSchedule | undefined; readonly at: Instant }

type Read = (path: string, how: SourceHow) => Promise<RestAnswer>

/** The versions of one account, each with GitHub's last response. */
export class VersionSchedules {
  readonly #read: Read
  readonly #clock: Clock
  readonly #known = new Map<string, Scheduled>()
  readonly #asking = new Map<string, Promise<Scheduled>>()

  /** @param read reads a path below the account's own */
  constructor(read: Read, clock: Clock) {
    this.#read = read
    this.#clock = clock
  }

  /**
   * Returns what GitHub says, which is at most a day old. Sets that ask at once share one request. Rejects with a `GitHubError` if GitHub
   * may say more later: a limit, an outage, a token that has expired.
   */
  async of(version: string, signal: AbortSignal): Promise<Scheduled> {
    const known = this.#known.get(version)
    if (known && this.#clock.now() < known.at + scheduleMs) return known
    const asking = this.#asking.get(version) ?? this.#ask(version).finally(() => this.#asking.delete(version))
    this.#asking.set(version, asking)
    return abortable(asking, signal)
  }

  async #ask(version: string): Promise<Scheduled> {
    const at = this.#clock.now()
    const path = `/actions/runners/deprecations/${encodeURIComponent(version)}`
    const { request, answer } = await this.#read(path, { policy: oncePolicy, signal: new AbortController().signal })
    const { status } = answer
    if (status !== 200) {
      const error = errorFromAnswer(request, answer, this.#clock.now())
      if (status === 401 || status >= 500 || error.reason === 'rate-limited') throw error
    }
    const wire = status === 200 && answer.body.kind === 'json' ? asJsonObject(answer.body.value) : undefined
    const scheduled = { schedule: wire && scheduleIn(wire), at }
    this.#known.set(version, scheduled)
    return scheduled
  }
}

/** A time that is null or absent is not planned. A time that cannot be read proves nothing. */
function scheduleIn(wire: JsonObject): VersionSchedule | undefined {
  const names = ['runtime_deprecates_at', 'registration_deprecates_at'] as const
  const [runtimeEndsAt, registrationEndsAt] = names.map((name) => instantField(wire, name))
  const isReadable = names.every(
    (name) => (field(wire, name) ?? null) === null || instantField(wire, name) !== undefined,
  )
  return isReadable && typeof field(wire, 'runner_version') === 'string'
    ? { runtimeEndsAt, registrationEndsAt }
    : undefined
}
