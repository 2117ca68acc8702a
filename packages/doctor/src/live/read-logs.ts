// Reads the last log lines of runners that may never get a job. Their number is bounded, also in a large cluster.
import type { Instant } from '@dayfly/kit/clock'
import { limit } from '@dayfly/kit/queue'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { PodLogs } from '@dayfly/kubernetes/pod-logs'
import { doctorName } from '../doctor-name.ts'
import type { Facts, LiveFacts, Unread } from '../facts.ts'
import { waitingRunners } from '../pods/waiting-runners.ts'

type LogReading = {
  readonly logs: PodLogs
  readonly at: Instant
  /** Receives the reason if logs could not be read. */
  readonly unreadable: Record<string, Unread>
  readonly signal: AbortSignal | undefined
}

const podsMax = 100
const linesMax = 200
const atOnce = 8

/** Idle runners wait long, too. If there are very many, this reads the longest-waiting ones and counts the others. */
export async function readLogs(
  facts: Pick<Facts, 'objects' | 'pods'>,
  { logs, at, unreadable, signal }: LogReading,
): Promise<NonNullable<LiveFacts['logs']>> {
  const waiting = waitingRunners(facts, at)
  const tails = new Map<string, string>()
  const bounded = limit(atOnce)
  const read = async ({ pod, container }: (typeof waiting)[number]) => {
    const { namespace = '', name, uid = '' } = pod.object
    try {
      tails.set(uid, await logs.tail({ namespace, name }, { container, lines: linesMax, signal }))
    } catch (error) {
      if (!(error instanceof KubernetesError)) throw error
      // A pod that was deleted in the meantime has no log.
      if (error.kind !== 'not-found') unreadable['pods/log'] ??= { is: 'failed', why: reasonOf(error) }
    }
  }
  await Promise.all(waiting.slice(0, podsMax).map((one) => bounded(() => read(one))))
  return { tails, unread: Math.max(0, waiting.length - podsMax) }
}

function reasonOf(error: KubernetesError): string {
  return error.kind === 'forbidden' ? `not allowed to read them: see "${doctorName} rbac --logs"` : error.message
}
