// Says why a job waits whose labels no set has. `dayfly status`, `dayfly explain` and the page show the same sentence.
import type { UnservedJob, UnservedJobs } from './forge-event.ts'

/** The operator's next step. */
export const unservedNext = 'Give a set these labels, or correct runs-on in the workflow.'

/** Returns two sentences. */
export function unservedText({ id, name, repository, labels }: UnservedJob): string {
  const of = repository === '' ? '' : ` of ${repository}`
  const asked = labels.map((label) => label || '""').join(', ')
  return `Job ${name || id}${of} waits for runs-on: ${asked}. No RunnerSet of this account has all of these labels.`
}

/** Returns the text of each job, and how many more there are. */
export function unservedTexts({ count, jobs }: UnservedJobs): readonly string[] {
  const more = count - jobs.length
  const rest = more === 1 ? '1 more job waits like this.' : `${more} more jobs wait like this.`
  return [...jobs.map(unservedText), ...(more > 0 ? [rest] : [])]
}
