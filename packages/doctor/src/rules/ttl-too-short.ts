// Finds TTLs that delete a Job before people or log collectors can read its result.
import { numberAt } from '@dayfly/kit/read-json'
import type { Hit } from '../finding.ts'
import type { PodView } from '../pod-view.ts'
import { isSampleJob } from '../pods/one-off-jobs.ts'
import { hitIn, jobSpecOf } from '../pods/pod-parts.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'ttl-too-short',
  code: 'JOB205',
  title: 'The Job is deleted before its logs are collected',
  severity: 'info',
  confidence: 'high',
  modes: ['static'],
  fix: 'none',
  check: (facts) => ({ hits: facts.pods.flatMap(check) }),
}

/** Seconds: log collectors run every 10 to 60 s. */
const shortest = 60

function check(pod: PodView): readonly Hit[] {
  const job = jobSpecOf(pod)
  const ttl = job && numberAt(job.fields, 'ttlSecondsAfterFinished')
  // The author of a sample shows the field on purpose, and nobody collects the sample's logs.
  if (!job || ttl === undefined || ttl >= shortest || isSampleJob(pod)) return []
  return [
    hitIn(pod, {
      path: [...job.path, 'ttlSecondsAfterFinished'],
      message: `The Job and its pod are deleted ${ttl} s after their end, with exit code and logs. Log collectors may need up to ${shortest} s. Use a longer TTL.`,
    }),
  ]
}
