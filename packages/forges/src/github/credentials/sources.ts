// The sources of one account. The one with the most budget left is used. A source that GitHub refuses, or whose budget is spent, is left
// out until its time (docs/reference/scale-set-protocol.md#s16-6).
import type { Instant } from '@dayfly/kit/clock'
import type { ForgeLimit } from '@dayfly/runner-set/forge/forge'
import { GitHubError } from '../calls/errors.ts'
import type { Source } from './source.ts'

/** How long a refused source is left out while there are others, in milliseconds. */
const refusedMs = 10 * 60_000

export class Sources {
  readonly #sources: readonly Source[]
  readonly #refusedUntil = new Map<Source, Instant>()

  constructor(sources: readonly Source[]) {
    this.#sources = sources
  }

  get isSingle(): boolean {
    return this.#sources.length === 1
  }

  /** Returns the best source that was not tried yet; undefined if there is none. If GitHub refused all of them, each gets another chance in turn. */
  best(tried: ReadonlySet<Source>, now: Instant): Source | undefined {
    const open = this.#sources.filter((source) => !tried.has(source) && source.budget.limitedUntil(now) === undefined)
    const refusedUntil = (source: Source) => this.#refusedUntil.get(source) ?? 0
    const good = open.filter((source) => refusedUntil(source) <= now)
    if (good.length > 0) return most(good, ({ budget }) => budget.remaining(now) ?? Number.POSITIVE_INFINITY)
    return tried.size > 0 ? undefined : most(open, (source) => -refusedUntil(source))
  }

  /** Leaves the source out because of this error. Returns false if the error does not concern the source. */
  leaveOut(source: Source, { reason, retryAt }: GitHubError, now: Instant): boolean {
    if (reason === 'rate-limited') source.budget.limit(retryAt ?? now)
    else if (reason === 'credential-refused') this.#refusedUntil.set(source, now + refusedMs)
    else return false
    return true
  }

  /** The source works. */
  readmit(source: Source): void {
    this.#refusedUntil.delete(source)
  }

  /** Returns when a source can be used again, if each one is limited or refused, and at least one is limited. */
  limit(now: Instant): ForgeLimit | undefined {
    const untils = this.#sources.flatMap((source) => source.budget.limitedUntil(now) ?? [])
    const usable = this.#sources.length - untils.length
    const refused = this.#sources.filter((source) => (this.#refusedUntil.get(source) ?? 0) > now)
    const isOut = usable === 0 || (untils.length > 0 && refused.length >= usable)
    return untils.length > 0 && isOut ? { reason: 'budget', until: Math.min(...untils) } : undefined
  }

  /** Returns the error of an account without a usable source. */
  exhausted(last: GitHubError | undefined, now: Instant): GitHubError {
    const limit = this.limit(now)
    if (!limit) return last ?? new GitHubError('credential-refused', 'GitHub refuses every credential of this set.')
    const who = this.isSingle ? 'this credential' : 'every App that GitHub accepts'
    const time = new Date(limit.until).toISOString()
    const sentence = `The request budget of ${who} is spent until ${time}.`
    const message = last ? `${sentence} ${last.message}` : sentence
    return new GitHubError('budget-spent', message, { retryAt: limit.until, cause: last })
  }
}

/** Returns the first of the sources with the highest measure. */
function most(sources: readonly Source[], measure: (source: Source) => number): Source | undefined {
  return sources.reduce<Source | undefined>(
    (best, each) => (best && measure(best) >= measure(each) ? best : each),
    undefined,
  )
}
