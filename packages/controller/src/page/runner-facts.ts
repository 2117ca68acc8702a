// The facts of the API server about one runner: its containers, its Events, and the times that the journal does not have.
import type { ContainerShown, EventShown } from '@dayfly/dashboard/model/details'
import type { Life } from '@dayfly/dashboard/model/life'
import type { RunnerFacts } from '@dayfly/dashboard/server/source'
import type { Instant } from '@dayfly/kit/clock'
import type { PodObject } from '../observe/pod-object.ts'
import { containersOf } from '../operate/containers.ts'
import { type EventView, readEvents } from '../operate/events.ts'
import { readRunnerPod } from '../operate/pods.ts'
import { type Cluster, type Known, orUnknown } from '../operate/read.ts'
import type { RunnerExplanation } from '../operate/runner-explanation.ts'

/** At most so many Events are shown. */
const eventsMax = 100

export async function readRunnerFacts(
  cluster: Cluster,
  life: Life,
  { sentences, problem }: RunnerExplanation,
): Promise<RunnerFacts> {
  const at = { namespace: life.id.slice(0, life.id.indexOf('/')), name: life.runner }
  const [pod, events] = await Promise.all([orUnknown(readRunnerPod(cluster, at)), orUnknown(readEvents(cluster, at))])
  const object = pod.known ? pod.value?.pod : undefined
  return {
    sentences,
    problem: problem ?? life.problem,
    containers: pod.known ? (object ? containersOf(object).map(shownContainer) : []) : null,
    events: events.known ? events.value.slice(0, eventsMax).toReversed().map(shownEvent) : null,
    scheduledAt: scheduledAt(object, events),
    pulledAt: eventAt(events, 'Pulled'),
    unknown: [pod, events].flatMap((part) => (part.known ? [] : [`Not known: ${part.why}.`])),
    hasLog: object?.status?.phase === 'Running',
  }
}

function shownContainer({ since, ...rest }: ReturnType<typeof containersOf>[number]): ContainerShown {
  return { ...rest, since: since ?? null }
}

function shownEvent({ at, type, reason, message, count }: EventView): EventShown {
  return { at: at ?? null, warning: type === 'Warning', reason, message, count }
}

/** The Event outlives the pod by an hour. */
function scheduledAt(pod: PodObject | undefined, events: Known<readonly EventView[]>): Instant | null {
  const condition = pod?.status?.conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'True')
  const at = Date.parse(condition?.lastTransitionTime ?? '')
  return Number.isNaN(at) ? eventAt(events, 'Scheduled') : at
}

/** Returns the time of the last such Event. */
function eventAt(events: Known<readonly EventView[]>, reason: string): Instant | null {
  if (!events.known) return null
  return events.value.find((event) => event.reason === reason)?.at ?? null
}
