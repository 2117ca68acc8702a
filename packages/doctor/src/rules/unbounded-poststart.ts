// Finds postStart commands that can wait without a limit. The kubelet waits for them, even when the pod is being deleted.
import type { Hit } from '../finding.ts'
import type { PodView } from '../pod-view.ts'
import { hitIn } from '../pods/pod-parts.ts'
import { canWait } from '../read/shell/post-start.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'unbounded-poststart',
  code: 'POD111',
  title: 'A postStart command without a time limit can block start and deletion',
  severity: 'warning',
  confidence: 'high',
  modes: ['static'],
  fix: 'none',
  check: (facts) => ({ hits: facts.pods.flatMap(check) }),
}

function check(pod: PodView): readonly Hit[] {
  return pod.containers.flatMap(({ name, postStart }) => {
    if (!postStart?.exec) return []
    const waits = canWait(postStart.exec)
    if (waits === 'never') return []
    return [
      hitIn(pod, {
        path: postStart.path,
        container: name,
        message: `The postStart command of ${name} has no time limit. While it hangs, no later container starts, and the pod cannot be deleted. Wrap it in timeout, or use a startup probe.`,
        confidence: waits === 'surely' ? 'high' : 'medium',
      }),
    ]
  })
}
