// Finds Jobs of runners without a deadline: nothing ends such a Job if its runner hangs.
import { valueAt } from '@dayfly/kit/read-json'
import type { Hit } from '../finding.ts'
import type { PodView } from '../pod-view.ts'
import { isLastingRunner } from '../pods/lasting-runner.ts'
import { hitIn, isWhole, jobSpecOf, writtenPods } from '../pods/pod-parts.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'no-active-deadline',
  code: 'JOB207',
  title: 'Nothing ends the Job of a runner that hangs',
  severity: 'warning',
  confidence: 'medium',
  modes: ['static', 'live'],
  fix: 'none',
  check: (facts) => ({ hits: writtenPods(facts).flatMap(check) }),
}

function check(pod: PodView): readonly Hit[] {
  const job = jobSpecOf(pod)
  if (!job || !pod.isRunner || !isWhole(pod) || isLastingRunner(pod)) return []
  const limits = [job.path, pod.path].map((path) => [...path, 'activeDeadlineSeconds'])
  if (limits.some((path) => valueAt(pod.raw, ...path) !== undefined)) return []
  return [
    hitIn(pod, {
      path: job.path,
      message:
        'There is no activeDeadlineSeconds: a runner that hangs, or whose pod cannot start, keeps its slot forever. Set it above your longest job.',
      absent: limits,
    }),
  ]
}
