// A TTL that deletes a Job before anybody, or anything, can read its end.

import { numberAt } from '../../lib/read-json.ts'
import type { Hit } from '../finding.ts'
import type { PodView } from '../pod-view.ts'
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

/** Seconds: collectors look each 10 to 60 s. */
const shortest = 60

function check(pod: PodView): readonly Hit[] {
  const job = jobSpecOf(pod)
  const ttl = job && numberAt(job.fields, 'ttlSecondsAfterFinished')
  if (!job || ttl === undefined || ttl >= shortest) return []
  return [
    hitIn(pod, {
      path: [...job.path, 'ttlSecondsAfterFinished'],
      message: `${ttl} s after its end the Job and its pod are gone, with exit code and logs: log collectors may need up to ${shortest} s.`,
    }),
  ]
}
