// Finds CronJobs whose Jobs have a TTL, which deletes the history that the CronJob would keep.
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
  check: (facts) => ({ hits: facts.pods.filter(({ owner }) => owner === 'CronJob').flatMap(check) }),
}

function check(pod: PodView): readonly Hit[] {
  const job = jobSpecOf(pod)
  if (job?.fields['ttlSecondsAfterFinished'] === undefined) return []
  return [
    hitIn(pod, {
      path: [...job.path, 'ttlSecondsAfterFinished'],
      message:
        'A CronJob deletes its own Jobs according to successfulJobsHistoryLimit and failedJobsHistoryLimit. With a TTL, the last failed run may be deleted before anyone reads its log. Remove the TTL, or rely on it alone.',
    }),
  ]
}
