// The log of a runner's container, while it runs.
import type { Life } from '@dayfly/dashboard/model/life'
import type { PodLogs } from '@dayfly/kubernetes/pod-logs'
import { runnerContainer } from '@dayfly/runner-set/model/runner-names'

/** A log is shown from so many lines before its end. */
const lines = 200

/** Returns undefined if the container does not run. */
export function runnerLog(logs: PodLogs, life: Life, signal: AbortSignal): AsyncIterable<string> | undefined {
  const { phase, steps, id, runner } = life
  if (phase === 'gone' || steps.started === null || steps.ended !== null) return undefined
  const pod = { namespace: id.slice(0, id.indexOf('/')), name: runner }
  return logs.follow(pod, { container: runnerContainer, lines, signal })
}
