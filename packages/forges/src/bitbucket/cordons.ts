// Cordons runners and remembers since when each is cordoned (docs/reference/bitbucket.md#s2-1).
import type { Clock, Instant } from '@dayfly/kit/clock'
import { textAt } from '@dayfly/kit/read-json'
import { PortError } from '@dayfly/runner-set/model/port-error'
import { statusOf } from '../rest-errors.ts'
import type { BitbucketApi } from './api.ts'
import { bitbucketError } from './errors.ts'
import { type Identity, internalRunnersPath, type Place, runnersPath } from './place.ts'
import { type ListedRunner, readRunner } from './wire.ts'

export class Cordons {
  readonly #api: BitbucketApi
  readonly #place: Place
  readonly #clock: Clock
  readonly #since = new Map<string, Instant>()
  /** The API that has cordoned a runner. The vendor's autoscaler uses the internal one. */
  #way: 'internal' | 'public' = 'internal'

  constructor(api: BitbucketApi, place: Place, clock: Clock) {
    this.#api = api
    this.#place = place
    this.#clock = clock
  }

  /** Returns since when the runner is cordoned; undefined if it is not, as far as we know. */
  since(id: string): Instant | undefined {
    return this.#since.get(id)
  }

  /** Takes over a complete list that was requested at `at`. */
  listed(runners: readonly ListedRunner[], at: Instant): void {
    const byId = new Map(runners.map((runner) => [runner.id, runner]))
    for (const [id, since] of this.#since) {
      // A cordon that was made after the request is not in the list.
      if (since < at && byId.get(id)?.isCordoned !== true) this.#since.delete(id)
    }
    for (const { id, isCordoned } of runners) if (isCordoned && !this.#since.has(id)) this.#since.set(id, at)
  }

  /** Rejects with `not-found` if the runner is gone, and with `bad-response` if Bitbucket leaves the runner as it is. */
  async cordon(id: string, identity: Identity, signal?: AbortSignal): Promise<void> {
    if (this.#way === 'public' || !(await this.#cordonInternally(id, identity, signal))) {
      // A runner that was cordoned before proves nothing for the public API: after its first failure the internal one is asked again.
      this.#way = 'internal'
      await this.#cordonPublicly(id, signal)
      this.#way = 'public'
    }
    this.#since.set(id, this.#clock.now())
  }

  /** Returns false if this API, or its use of this API, does not exist. */
  async #cordonInternally(id: string, identity: Identity, signal: AbortSignal | undefined): Promise<boolean> {
    const path = `${internalRunnersPath(identity)}/${encodeURIComponent(id)}/state`
    try {
      await this.#put(path, { status: 'DISABLED' }, signal)
      return true
    } catch (error) {
      // These may also mean that the runner is gone, or the credential refused: the public API says which.
      const status = error instanceof PortError ? statusOf(error) : undefined
      if (status !== undefined && [400, 401, 403, 404, 405, 410].includes(status)) return false
      throw error
    }
  }

  async #cordonPublicly(id: string, signal: AbortSignal | undefined): Promise<void> {
    const path = `${runnersPath(this.#place)}/${encodeURIComponent(id)}`
    const value = await this.#put(path, { state: { status: 'DISABLED' } }, signal)
    if (readRunner(value)?.isCordoned) return
    const status = textAt(value, 'state', 'status') ?? 'no status'
    const next = 'Disable the runner in the settings of its workspace or repository.'
    throw bitbucketError('bad-response', `Bitbucket did not cordon the runner ${id}: it reports ${status}. ${next}`)
  }

  #put(path: string, body: unknown, signal: AbortSignal | undefined): Promise<unknown> {
    return this.#api.call({ operation: 'cordon', kind: 'other', method: 'PUT', path, body, signal })
  }
}
