// What happened to a runner between two states of our knowledge, as journal events. Each is told once, by whoever sees it first.
import { failureOfEnd } from '../../core/end.ts'
import type { JournalEvent } from '../../model/event.ts'
import type { PodFacts, Runner } from '../../model/runner.ts'
import type { RunnerSet } from '../../model/runner-set.ts'
import type { Change } from './runner-table.ts'

export function transitionEvents(set: Pick<RunnerSet, 'namespace' | 'name'>, change: Change): readonly JournalEvent[] {
  const { before, after } = change
  if (!after) return []
  const subject = { namespace: set.namespace, set: set.name, runner: after.name }
  const events: JournalEvent[] = []
  const was = podOf(before)
  const is = podOf(after)
  if (is?.startedAt !== undefined && was?.startedAt === undefined) {
    events.push({ kind: 'runner-started', ...subject, node: is.node })
  }
  if (is?.end && !was?.end) {
    const failure = failureOfEnd(after, is.end)
    events.push({ kind: 'runner-ended', ...subject, exitCode: is.end.exitCode, reason: is.end.reason })
    if (failure) events.push({ kind: 'runner-failed', ...subject, failure })
  }
  if (after.pod.is === 'absent' && was && !was.end && !after.ending) {
    const message = was.node ? `it was on node ${was.node}` : 'it was on no node yet'
    events.push({ kind: 'runner-failed', ...subject, failure: { reason: 'pod-vanished', message } })
  }
  return events
}

function podOf(runner: Runner | undefined): PodFacts | undefined {
  return runner?.pod.is === 'present' ? runner.pod.value : undefined
}
