// How old registrations are at least. The list of runners has no times, but ids rise, and each job shows that its runner was registered.
import type { Instant } from '@dayfly/kit/clock'
import type { GiteaApi } from './api.ts'
import { endedJobs } from './lists.ts'
import type { Server } from './server.ts'
import type { ListedJob } from './wire.ts'

/** At `at` the runner was registered. */
type Sighting = { readonly runnerId: number; readonly at: Instant }

/**
 * Returns the times at which the runners were registered already, by their ids: a runner is older than each job of a runner with its
 * own id or a higher one. A runner without such a job is left out. Reads a few pages of ended jobs, each twice as far back as the last.
 * @param running jobs that run now
 */
export async function registeredAlready(
  ids: readonly string[],
  running: readonly ListedJob[],
  read: { readonly api: GiteaApi; readonly server: Server; readonly signal: AbortSignal | undefined },
): Promise<ReadonlyMap<string, Instant>> {
  const least = Math.min(...ids.map(Number))
  // Forgejo's list has neither ended jobs nor the runners of jobs.
  if (ids.length === 0 || read.server.dialect.jobs !== 'every') return new Map()
  const seen = [...sightingsOf(running, read.api)]
  const page = async (number: number): Promise<{ readonly pages: number; readonly isUseful: boolean }> => {
    const { entries, total } = await endedJobs(read.api, read.server, number, read.signal)
    const found = sightingsOf(entries, read.api)
    seen.push(...found)
    const pages = entries.length === 0 ? 0 : Math.ceil(total / entries.length)
    return { pages, isUseful: found.some(({ runnerId }) => runnerId >= least) }
  }
  // The oldest jobs come first.
  const { pages } = await page(1)
  for (let back = 0; pages - back > 1; back = Math.max(1, 2 * back)) {
    if (!(await page(pages - back)).isUseful) break
  }
  return new Map(
    ids.flatMap((id) => {
      const times = seen.flatMap(({ runnerId, at }) => (runnerId >= Number(id) ? at : []))
      return times.length === 0 ? [] : [[id, Math.min(...times)] as const]
    }),
  )
}

function sightingsOf(jobs: readonly ListedJob[], api: GiteaApi): readonly Sighting[] {
  return jobs.flatMap(({ runnerId, startedAt }) =>
    runnerId === undefined || startedAt === undefined
      ? []
      : [{ runnerId: Number(runnerId), at: api.fromServer(startedAt) }],
  )
}
