// The waiting jobs of an account that nothing serves, for people: a job whose labels no set has waits until the server gives it up.
import type { Instant } from '@dayfly/kit/clock'
import type { ForgeSet } from '@dayfly/runner-set/forge/forge'
import type { UnservedJobs } from '@dayfly/runner-set/model/forge-event'
import { canServe } from './assign.ts'
import type { ListedJob, ListedRunner } from './wire.ts'

/** A job that has just begun to wait may be taken by a runner that no list shows, in milliseconds. */
const waitedMs = 20_000
const jobsMax = 5
const labelsMax = 16
/** The users of the forge choose the texts. */
const lengthMax = 200

/**
 * Returns the jobs of `unserved` that have waited for a while, and that neither a resting set nor a runner of another client serves;
 * undefined without any.
 * @param sets all sets of the account, also paused ones
 * @param fromServer converts a time of the server's clock to ours
 */
export function unservedIn(
  unserved: readonly ListedJob[],
  { at, runners }: { readonly at: Instant; readonly runners: readonly ListedRunner[] },
  sets: readonly ForgeSet[],
  fromServer: (at: Instant) => Instant,
): UnservedJobs | undefined {
  const online = runners.filter(({ isOnline, isCordoned }) => isOnline && !isCordoned)
  const left = unserved
    .filter(({ createdAt }) => createdAt === undefined || at - fromServer(createdAt) >= waitedMs)
    .filter((job) => ![...sets, ...online].some((one) => canServe(one, job)))
    .sort((one, next) => Number(one.id) - Number(next.id))
  if (left.length === 0) return undefined
  const jobs = left.slice(0, jobsMax).map(({ id, name, repository, labels }) => ({
    ...{ id, name: name.slice(0, lengthMax), repository: repository.slice(0, lengthMax) },
    labels: labels.slice(0, labelsMax).map((label) => label.slice(0, lengthMax)),
  }))
  return { count: left.length, jobs }
}
