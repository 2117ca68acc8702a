// The jobs that no set serves, as the page shows them.
import type { UnservedNow } from '@dayfly/dashboard/model/set-now'
import { printableLine } from '@dayfly/kit/printable'
import type { UnservedJobs } from '@dayfly/runner-set/model/forge-event'
import { unservedText } from '@dayfly/runner-set/model/unserved-text'

export function unservedNow(unserved: UnservedJobs | undefined): UnservedNow | null {
  if (unserved === undefined) return null
  const jobs = unserved.jobs.map((job) => ({
    id: printableLine(job.id),
    name: printableLine(job.name),
    repository: printableLine(job.repository),
    sentence: printableLine(unservedText(job)),
  }))
  return { count: unserved.count, jobs }
}
