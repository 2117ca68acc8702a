// Writes what a set says of itself to its status sub-resource.
import type { SetStatus } from '../../model/status.ts'
import { runnerSets } from '../resources.ts'
import type { ActContext } from './context.ts'
import { messageOf } from './failures.ts'

export async function report(context: ActContext, status: SetStatus): Promise<void> {
  const { kubernetes, cache, clock, journal, signal } = context
  const { namespace, name } = cache.set
  const now = clock.now()
  const at = new Date(now).toISOString().replace(/\.\d+Z$/, 'Z')
  const conditions = status.conditions.map((condition) => ({
    ...condition,
    observedGeneration: status.observedGeneration,
    lastTransitionTime: cache.conditions.since(condition, at),
  }))
  cache.reported = { status, at: now }
  try {
    const body = { status: { ...status, conditions } }
    await kubernetes.patch(runnerSets, { namespace, name }, { type: 'merge', body }, { subresource: 'status', signal })
  } catch (error) {
    if (signal.aborted) return
    cache.reported = { status: undefined, at: now }
    journal({ kind: 'write-failed', namespace, set: name, action: 'report', message: messageOf(error) })
  }
}
