// Finds Jobs of runners that count a drained node as a failed run.
import { listAt, textAt } from '@dayfly/kit/read-json'
import type { Hit } from '../finding.ts'
import type { PodView } from '../pod-view.ts'
import { hitIn, isWhole, jobSpecOf } from '../pods/pod-parts.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'disruption-not-ignored',
  code: 'JOB208',
  title: 'A drained node counts as a failure of the Job',
  severity: 'info',
  confidence: 'medium',
  modes: ['static'],
  fix: 'none',
  check: (facts) => ({ hits: facts.pods.flatMap(check) }),
}

function check(pod: PodView): readonly Hit[] {
  const job = jobSpecOf(pod)
  // A podFailurePolicy requires restartPolicy Never.
  if (!job || !pod.isRunner || !isWhole(pod) || pod.restartPolicy !== 'Never') return []
  const names = listAt(job.fields, 'podFailurePolicy', 'rules').flatMap((each) =>
    listAt(each, 'onPodConditions').map((condition) => textAt(condition, 'type')),
  )
  if (names.includes('DisruptionTarget')) return []
  return [
    hitIn(pod, {
      path: job.path,
      message:
        'No podFailurePolicy has a rule for disruptions (DisruptionTarget: drain, preemption, lost node), so each of them counts as a failed run and uses up backoffLimit. Add a rule with Ignore or FailJob.',
      absent: [[...job.path, 'podFailurePolicy']],
    }),
  ]
}
