// The numbered cases of the reference that any server can show, at a real Gitea. The emulator runs the same ones.

import { readForgeEvents } from '@dayfly/forges/event-reader.fixture'
import { giteaCases } from '@dayfly/forges/gitea/conformance.fixture'
import type { GiteaBench } from '@dayfly/forges/gitea/conformance-bench.fixture'
import { createGiteaForge } from '@dayfly/forges/gitea/gitea'
import { waitAtMost } from '@dayfly/forges/waiting.fixture'
import { httpClient } from '@dayfly/kit/http-client'
import { seededRandom } from '@dayfly/kit/random'
import { systemClock } from '@dayfly/kit/system'
import { afterAll, beforeAll, test } from 'vitest'
import { callRunnerService, type GiteaMethod } from '../../scripts/gitea/client.ts'
import { type Gitea, type Level, openGitea } from './open-gitea.ts'

const clock = systemClock()
const client = httpClient()
/** A server that nobody else uses can be asked often. */
const pace = { leastMs: 100, busyMs: 200, steadyMs: 500, mostMs: 500, pickUpDelayMs: 1_000 }
let gitea: Gitea

beforeAll(async () => {
  gitea = await openGitea()
  await gitea.createOrganization('acme')
})
afterAll(async () => {
  await gitea?.close()
  await client.close()
})

/** Each case has a repository of its own, so that none sees the jobs of another. */
async function benchOf(name: string): Promise<GiteaBench & { readonly stop: AbortController }> {
  const level: Level = await gitea.createRepository('acme', name)
  const stop = new AbortController()
  const wait = waitAtMost(clock, 40_000)
  const account = createGiteaForge({
    ...{ url: `${gitea.url}/acme/${name}`, token: gitea.server.admin.token, transport: client.transport, clock },
    ...{ random: seededRandom(1), userAgent: 'dayfly/test', pace },
  })
  let workflows = 0
  return {
    stop,
    wait,
    open: async (more) => {
      const set = { name: 'linux', runnerPrefix: 'linux-', labels: ['linux'], group: undefined, max: 100, ...more }
      const link = await wait(account.open(set, undefined, stop.signal))
      const reader = readForgeEvents(link)
      await wait(reader.find('demand'))
      return { link, reader }
    },
    start: async (jobs) => {
      const file = `w${++workflows}.yml`
      const before = (await gitea.jobs(level)).length
      await gitea.commitWorkflow(level, file, `on: workflow_dispatch\njobs:\n${jobs}`)
      await gitea.dispatch(level, file)
      await gitea.until(level, (listed) => listed.length > before)
    },
    rest: (method, path, body) =>
      gitea.admin.call(method as GiteaMethod, `${level}${path}`, body as object | undefined),
    rpc: async (method, message, runner) => {
      const { value } = await callRunnerService(gitea.url, method, message as object, runner)
      return value as Readonly<Record<string, unknown>>
    },
    cancel: async (id) => {
      const job = (await gitea.jobs(level)).find((one) => String(one.id) === id)
      await gitea.cancelRun(level, job?.run_id ?? 0)
    },
    resetToken: () => gitea.resetRegistrationToken(level),
  }
}

test.each(giteaCases.map((one, index) => ({ ...one, repository: `case-${index}` })))(
  '$name',
  async ({ run, repository }) => {
    const bench = await benchOf(repository)
    try {
      await run(bench)
    } finally {
      bench.stop.abort()
    }
  },
)
