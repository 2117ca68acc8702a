// Finds postStart hooks with exec in a shared PID namespace: such a hook may never return, and then the pod neither starts nor stops.
import type { Hit } from '../finding.ts'
import type { PodView } from '../pod-view.ts'
import { hitIn, writtenPods } from '../pods/pod-parts.ts'
import { isBounded } from '../read/shell/post-start.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'pid-share-with-poststart',
  code: 'POD110',
  title: 'A postStart command in a shared PID namespace can hang the pod',
  severity: 'error',
  confidence: 'high',
  modes: ['static', 'live'],
  fix: 'none',
  check: (facts) => ({ hits: writtenPods(facts).flatMap(check) }),
}

function check(pod: PodView): readonly Hit[] {
  const shared = pod.hostPID ? 'hostPID' : pod.shareProcessNamespace ? 'shareProcessNamespace' : undefined
  if (shared === undefined) return []
  return pod.containers.flatMap(({ name, postStart }) =>
    postStart?.exec
      ? [
          hitIn(pod, {
            path: postStart.path,
            container: name,
            message: `The postStart command of ${name} runs with ${shared}. If the container dies before the command returns, the command can hang, and then the pod can neither start nor be deleted. Remove ${shared}, or replace the hook.`,
            ...(isBounded(postStart.exec) ? { severity: 'warning' as const } : {}),
            related: [{ path: [...pod.path, shared], message: 'the PID namespace is shared here' }],
          }),
        ]
      : [],
  )
}
