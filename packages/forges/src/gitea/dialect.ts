// The differences between the servers that speak this protocol, by what they say of their version (docs/reference/gitea.md#s7-1).
import { giteaError } from './errors.ts'

export type Dialect = {
  /** The server in sentences, for example `Gitea 1.26.0`. */
  readonly name: string
  /** `every`: one paged list of all jobs, with the runner of each. `unfinished`: the waiting and running jobs at once, without their runners. */
  readonly jobs: 'every' | 'unfinished'
  /** Whether a runner can be disabled, so that it gets no job. */
  readonly hasCordon: boolean
  /** How a runner is made: by the protocol of the runners, with the registration token of the level, or by one REST call. */
  readonly creation: 'token' | 'rest'
}

/** The text after the sign names the Gitea whose API a Forgejo has. */
const forgejo = /^(\d+)\.(\d+)\.\d+.*\+gitea-/
const gitea = /^v?(\d+)\.(\d+)\.?\d*/

/** Throws a `PortError` of kind `bad-config` for a server that is too old. Returns undefined for a text that is no version. */
export function dialectOf(version: string): Dialect | undefined {
  const shown = version.slice(0, 60)
  const [, forgejoMajor] = forgejo.exec(version) ?? []
  if (forgejoMajor !== undefined) {
    if (Number(forgejoMajor) < 15) throw tooOld(`Forgejo ${shown}`, 'Forgejo 15', 'no runner that ends after one job')
    return { name: `Forgejo ${shown}`, jobs: 'unfinished', hasCordon: false, creation: 'rest' }
  }
  const [, major, minor] = gitea.exec(version) ?? []
  if (major === undefined || minor === undefined) return undefined
  const age = Number(major) * 1_000 + Number(minor)
  if (age < 1_025) throw tooOld(`Gitea ${shown}`, 'Gitea 1.25', 'no list of jobs')
  return { name: `Gitea ${shown}`, jobs: 'every', hasCordon: age >= 1_026, creation: 'token' }
}

function tooOld(server: string, least: string, lack: string): Error {
  return giteaError('bad-config', `This is ${server}, which has ${lack}. Dayfly needs ${least} or later.`)
}
