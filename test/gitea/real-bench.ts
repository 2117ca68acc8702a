// A real Gitea as the bench of the numbered cases. Each bench has a repository of its own, so that none sees the jobs of another.
import { setTimeout as sleep } from 'node:timers/promises'
import { readForgeEvents } from '@dayfly/forges/event-reader.fixture'
import type { GiteaBench } from '@dayfly/forges/gitea/conformance-bench.fixture'
import { createGiteaForge } from '@dayfly/forges/gitea/gitea'
import { waitAtMost } from '@dayfly/forges/waiting.fixture'
import type { Transport } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { systemClock } from '@dayfly/kit/system'
import { callRunnerService, type GiteaMethod } from '../../scripts/gitea/client.ts'
import type { Gitea } from './open-gitea.ts'

export type RealBench = GiteaBench & { readonly stop: AbortController }

const clock = systemClock()
const owner = 'acme'
/** A server that nobody else uses can be asked often. */
const pace = { leastMs: 100, busyMs: 200, steadyMs: 500, mostMs: 500, pickUpDelayMs: 1_000 }
const shortTimeoutMs = 3_000
/** The settings of a server that soon gives up what waits or is silent. */
export const shortTimeouts = ['ZOMBIE_TASK_TIMEOUT', 'ABANDONED_JOB_TIMEOUT'].map(
  (key) => `actions.${key}=${shortTimeoutMs}ms`,
)

/** @param repository a new one of the organization acme, which must exist */
export async function realBench(gitea: Gitea, transport: Transport, repository: string): Promise<RealBench> {
  const level = await gitea.createRepository(owner, repository)
  const stop = new AbortController()
  const wait = waitAtMost(clock, 40_000)
  const connect = ({ token = gitea.server.admin.token, place = `${owner}/${repository}`, aheadMs = 0 } = {}) =>
    createGiteaForge({
      ...{ url: `${gitea.url}/${place}`, token, transport, pace },
      clock: { ...clock, now: () => clock.now() + aheadMs },
      ...{ random: seededRandom(1), userAgent: 'dayfly/test' },
    })
  const account = connect()
  const api: GiteaBench['api'] = (method, path, body) =>
    gitea.admin.call(method as GiteaMethod, path, body as object | undefined)
  let workflows = 0
  return {
    ...{ level, stop, wait, api },
    open: async (more, aheadMs) => {
      const set = { name: 'linux', runnerPrefix: 'linux-', labels: ['linux'], group: undefined, max: 100, ...more }
      const at = aheadMs === undefined ? account : connect({ aheadMs })
      const link = await wait(at.open(set, undefined, stop.signal))
      const reader = readForgeEvents(link)
      await wait(reader.find('demand'))
      return { link, reader }
    },
    connectMember: async () => connect({ token: await addMember(gitea), place: owner }),
    start: async (jobs) => {
      const file = `w${++workflows}.yml`
      const before = (await gitea.jobs(level)).length
      await gitea.commitWorkflow(level, file, `on: workflow_dispatch\njobs:\n${jobs}`)
      await gitea.dispatch(level, file)
      await gitea.until(level, (listed) => listed.length > before)
    },
    rest: (method, path, body) => api(method, `${level}${path}`, body),
    rpc: async (method, message, runner) => {
      const { value } = await callRunnerService(gitea.url, method, message as object, runner)
      return value as Readonly<Record<string, unknown>>
    },
    cancel: async (id) => {
      const job = (await gitea.jobs(level)).find((one) => String(one.id) === id)
      await gitea.cancelRun(level, job?.run_id ?? 0)
    },
    resetToken: () => gitea.resetRegistrationToken(level),
    archive: async () => void (await gitea.admin.must('PATCH', level, { archived: true })),
    crash: async (until) => {
      await gitea.server.stop('SIGKILL')
      await until()
      await gitea.server.start()
    },
    outlastTimeouts: () => sleep(shortTimeoutMs + 1_000),
  }
}

/** Adds a user to the organization who may read its repositories. Resolves with a token of that user. */
async function addMember(gitea: Gitea): Promise<string> {
  const user = 'ann'
  await gitea.createUser(user)
  const units = { 'repo.code': 'read', 'repo.actions': 'read' }
  const team = { name: 'readers', permission: 'read', units: Object.keys(units), units_map: units }
  const created = await gitea.admin.must('POST', `/orgs/${owner}/teams`, { ...team, includes_all_repositories: true })
  await gitea.admin.must('PUT', `/teams/${(created as { readonly id: number }).id}/members/${user}`)
  return gitea.createToken(user, 'write:organization', 'write:repository', 'read:user')
}
