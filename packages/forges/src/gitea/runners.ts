// The calls about one runner: register, cordon, remove (docs/reference/gitea.md#s3-1).
import { textAt, valueAt } from '@dayfly/kit/read-json'
import { abortable } from '@dayfly/kit/signals'
import type { ForgeSet } from '@dayfly/runner-set/forge/forge'
import { Credential } from '@dayfly/runner-set/model/credential'
import { giteaFiles } from '@dayfly/runner-set/model/forges/gitea'
import { PortError } from '@dayfly/runner-set/model/port-error'
import { type GiteaApi, jsonOf } from './api.ts'
import { badAnswer, giteaError } from './errors.ts'
import type { GivenPlace } from './place.ts'
import type { Server } from './server.ts'
import { idAt } from './wire.ts'

export type Created = { readonly id: string; readonly credential: Credential }

/** The words with which the server refuses a registration token that was reset (docs/reference/gitea.md#s4-1). */
const staleToken = /registration token not found|has been invalidated/

export class Registrations {
  readonly #api: GiteaApi
  readonly #place: GivenPlace
  #token: Promise<string> | undefined

  constructor(api: GiteaApi, place: GivenPlace) {
    this.#api = api
    this.#place = place
  }

  /** Registers a runner for one job. It exists at the server even if it never starts. */
  async create(server: Server, name: string, set: ForgeSet, signal: AbortSignal): Promise<Created> {
    const value = await (server.dialect.creation === 'rest'
      ? this.#createByRest(server, name, signal)
      : this.#createByToken(server, name, set.labels, signal))
    const [id, uuid, token] = [idAt(value, 'id'), textAt(value, 'uuid'), textAt(value, 'token')]
    if (!id || !uuid || !token) throw badAnswer(`the registration of ${name} lacks its id, uuid or token`)
    const address = `${this.#place.origin}${server.root}`
    return { id, credential: credentialOf({ id, uuid, token, name, address }, set) }
  }

  async #createByToken(server: Server, name: string, labels: readonly string[], signal: AbortSignal): Promise<unknown> {
    const register = async () => {
      const token = await abortable(this.#registrationToken(server), signal)
      const body = { name, token, labels, version: 'dayfly', ephemeral: true }
      const answer = await this.#api.register(server.root, body, signal)
      const runner = valueAt(jsonOf(answer, 'the registration'), 'runner')
      // An older server ignores the wish, and would give the runner job after job.
      if (valueAt(runner, 'ephemeral') !== true) throw badAnswer(`the server did not make ${name} a runner for one job`)
      return runner
    }
    try {
      return await register()
    } catch (error) {
      // A refused registration was not carried out, so a new token may try again.
      if (!isStale(error)) throw error
      this.#token = undefined
    }
    try {
      return await register()
    } catch (error) {
      throw isStale(error)
        ? giteaError('unauthorized', `${error.message} The server refuses the token that it just gave.`)
        : error
    }
  }

  async #createByRest(server: Server, name: string, signal: AbortSignal): Promise<unknown> {
    const path = `${server.path}/actions/runners`
    const body = { name, ephemeral: true }
    return jsonOf(
      await this.#api.rest(server.root, { operation: 'register', method: 'POST', path, body, signal }),
      'the registration',
    )
  }

  /** The token is the same for all runners of the level, and never expires (docs/reference/gitea.md#s5-1). */
  #registrationToken(server: Server): Promise<string> {
    const read = async () => {
      const path = `${server.path}/actions/runners/registration-token`
      const call = { operation: 'create-registration-token', method: 'POST', path } as const
      const token = textAt(jsonOf(await this.#api.rest(server.root, call), 'the registration token'), 'token')
      if (token) return token
      throw badAnswer('the registration token is missing')
    }
    const known = this.#token
    if (known) return known
    const asked = read()
    this.#token = asked
    asked.catch(() => {
      if (this.#token === asked) this.#token = undefined
    })
    return asked
  }
}

function isStale(error: unknown): error is PortError {
  return error instanceof PortError && staleToken.test(error.message)
}

type Identity = {
  readonly id: string
  readonly uuid: string
  readonly token: string
  readonly name: string
  readonly address: string
}

/**
 * Returns the files of the official runner. It reads the first one instead of registering, and never writes it, because the labels are
 * in its own form (docs/reference/gitea.md#s5-2).
 */
function credentialOf(identity: Identity, { labels, jobImage, graceSeconds = 30 }: ForgeSet): Credential {
  const scheme = jobImage === undefined ? 'host' : `docker://${jobImage}`
  const state = {
    ...identity,
    id: Number(identity.id),
    labels: labels.map((label) => `${label}:${scheme}`),
    ephemeral: true,
  }
  const shutdown = `${shutdownSeconds(graceSeconds)}s`
  const runner = { file: `/run/dayfly/${giteaFiles.state}`, capacity: 1, shutdown_timeout: shutdown }
  // JSON is YAML.
  return new Credential({
    [giteaFiles.state]: JSON.stringify(state),
    [giteaFiles.configuration]: JSON.stringify({ runner }),
  })
}

/**
 * Returns how long a signal lets the job go on. The runner then cancels the job, and needs time to report that before the kubelet kills it:
 * a third of the grace period, or 10 s of a long one.
 */
function shutdownSeconds(graceSeconds: number): number {
  return Math.floor(Math.max((graceSeconds * 2) / 3, graceSeconds - 10))
}

/** Keeps the server from giving the runner a job. Rejects with `not-found` if the runner is gone. */
export async function cordonRunner(api: GiteaApi, server: Server, id: string, signal?: AbortSignal): Promise<void> {
  const body = { disabled: true }
  const path = runnerPath(server, id)
  const answer = await api.rest(server.root, { operation: 'cordon', method: 'PATCH', path, body, signal })
  if (valueAt(jsonOf(answer, 'the runner'), 'disabled') === true) return
  throw badAnswer(`the server left the runner ${id} enabled`)
}

/** Removes a registration without any proof. */
export async function deleteRunner(
  api: GiteaApi,
  server: Server,
  id: string,
  signal?: AbortSignal,
): Promise<'removed' | 'absent'> {
  try {
    const path = runnerPath(server, id)
    await api.rest(server.root, { operation: 'deregister', method: 'DELETE', path, signal })
    return 'removed'
  } catch (error) {
    if (error instanceof PortError && error.kind === 'not-found') return 'absent'
    throw error
  }
}

function runnerPath({ path }: Server, id: string): string {
  return `${path}/actions/runners/${encodeURIComponent(id)}`
}
