// Finds Jobs with a TTL whose pod can never end: the TTL has no effect.
import type { Hit } from '../finding.ts'
import type { PodView } from '../pod-view.ts'
import { hitIn, jobSpecOf, writtenPods } from '../pods/pod-parts.ts'
import { endlessBesideWork } from '../read/shell/endless.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'ttl-unreachable',
  code: 'JOB202',
  title: 'The TTL of the Job never starts, because its pod never ends',
  severity: 'error',
  confidence: 'high',
  modes: ['static', 'live'],
  fix: 'none',
  check: (facts) => ({ hits: writtenPods(facts).flatMap(check) }),
}

function check(pod: PodView): readonly Hit[] {
  const job = jobSpecOf(pod)
  if (!job || (job.fields['ttlSecondsAfterFinished'] ?? undefined) === undefined) return []
  const endless = endlessBesideWork(pod)
  const first = endless.find(({ confidence }) => confidence === 'high') ?? endless[0]
  if (!first) return []
  return [
    hitIn(pod, {
      path: [...job.path, 'ttlSecondsAfterFinished'],
      message: `ttlSecondsAfterFinished counts from the end of the Job, but the Job cannot end because the container ${first.container.name} never ends. Make that container a native sidecar.`,
      confidence: first.confidence,
      related: [{ path: first.container.path, message: 'this container never ends by itself' }],
    }),
  ]
}
