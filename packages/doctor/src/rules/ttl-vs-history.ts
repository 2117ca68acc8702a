// Finds CronJobs whose Jobs have a TTL that deletes them before the CronJob's history limits would.
import { numberAt, textAt } from '@dayfly/kit/read-json'
import { longestGap } from '../cron-gap.ts'
import type { Facts } from '../facts.ts'
import type { Hit } from '../finding.ts'
import type { PodView } from '../pod-view.ts'
import { hitIn, jobSpecOf } from '../pods/pod-parts.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'ttl-vs-history',
  code: 'JOB204',
  title: "The TTL of a CronJob's Jobs conflicts with its history limits",
  severity: 'info',
  confidence: 'high',
  modes: ['static'],
  fix: 'none',
  check: (facts) => ({
    hits: facts.pods.filter(({ owner }) => owner === 'CronJob').flatMap((pod) => check(pod, facts)),
  }),
}

function check(pod: PodView, facts: Facts): readonly Hit[] {
  const job = jobSpecOf(pod)
  if (job?.fields['ttlSecondsAfterFinished'] === undefined) return []
  const path = [...job.path, 'ttlSecondsAfterFinished']
  const ttl = numberAt(job.fields, 'ttlSecondsAfterFinished')
  if (ttl !== undefined && ttl >= historyNeeds(pod)) return []
  const fact = facts.objects.find(({ document }) => document === pod.document)
  if (choice.test(fact?.source?.commentAt(path) ?? '')) return []
  return [
    hitIn(pod, {
      path,
      message:
        'A CronJob deletes its own Jobs according to successfulJobsHistoryLimit and failedJobsHistoryLimit. This TTL deletes them earlier, so the last failed run may be gone before anyone reads its log. Remove the TTL, or rely on it alone and say so in a comment.',
    }),
  ]
}

/** A comment about the TTL, the history or the logs in it shows a choice. One that only repeats the value shows none. */
const choice = /\bttl|histor|\blogs?\b|\b(?:keep|kept|retain|retention|limits?)\b/i

/** Returns the seconds for which the history limits keep a Job at most, if each run counts against the same limit. */
function historyNeeds({ raw }: PodView): number {
  const limits = [
    numberAt(raw, 'spec', 'successfulJobsHistoryLimit') ?? 3,
    numberAt(raw, 'spec', 'failedJobsHistoryLimit') ?? 1,
  ]
  const kept = Math.max(...limits)
  return kept === 0 ? 0 : kept * longestGap(textAt(raw, 'spec', 'schedule') ?? '')
}
