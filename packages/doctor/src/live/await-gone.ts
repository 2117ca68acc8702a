// Waits until the objects of a repair are gone. Only then their steps are done.
import type { Clock } from '@dayfly/kit/clock'
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { KubeObject } from '@dayfly/kubernetes/types'
import { findSame, type Place } from './perform.ts'
import type { Target } from './step.ts'

/** Milliseconds, for all objects together. The default grace period of a pod is 30 s, and a node reports the end a little later. */
const goneMsMax = 60_000
/** The pauses between two looks grow. */
const goneMsStepMin = 500
const goneMsStepMax = 10_000

/** Calls `report` for each object: `undefined` if it is gone, otherwise the reason why it still exists. Stops with the signal. */
export async function awaitGone(
  targets: readonly Target[],
  place: Place & { readonly clock: Clock },
  report: (target: Target, holds: string | undefined) => Promise<void>,
): Promise<void> {
  const { clock, signal } = place
  let open = targets.map((target) => ({ target, holds: 'it was not looked at again' }))
  let waitedMs = 0
  for (const end = clock.now() + goneMsMax; open.length > 0; ) {
    const left: typeof open = []
    for (const { target } of open) {
      const holds = await look(target, place)
      if (holds === undefined) await report(target, undefined)
      else left.push({ target, holds })
    }
    open = left
    if (open.length === 0 || signal?.aborted || waitedMs >= goneMsMax || clock.now() >= end) break
    const ms = Math.min(waitedMs + goneMsStepMin, goneMsStepMax, goneMsMax - waitedMs)
    await clock.sleep(ms, signal).catch(() => undefined)
    waitedMs += ms
  }
  for (const { target, holds } of open) await report(target, signal?.aborted ? 'interrupted before it was gone' : holds)
}

async function look(target: Target, { signal: _, ...place }: Place): Promise<string | undefined> {
  try {
    const now = await findSame(place, target)
    return now && sayHold(now)
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error
    return `its end could not be read: ${error.message}`
  }
}

function sayHold({ kind, metadata: { finalizers = [] } }: KubeObject): string {
  const still = `it still exists ${goneMsMax / 1000} s later`
  if (finalizers.length > 0) return `${still}: held by ${finalizers.join(', ')}`
  return kind === 'Pod' ? `${still}: its node has not confirmed the end` : still
}
