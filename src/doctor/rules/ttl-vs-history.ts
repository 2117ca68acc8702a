// A CronJob whose Jobs have a TTL: its history limits find nothing to keep.
import type { Hit } from '../finding.ts'
import type { PodView } from '../pod-view.ts'
import { hitIn, jobSpecOf } from '../pods/pod-parts.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'ttl-vs-history',
  code: 'JOB204',
  title: "The TTL of a CronJob's Jobs works against its history limits",
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
        'A CronJob cleans up its own Jobs by successfulJobsHistoryLimit and failedJobsHistoryLimit: with a TTL the last failed run may be gone before anybody looks.',
    }),
  ]
}
