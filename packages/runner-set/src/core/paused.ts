// Whether a set is paused.
import type { RunnerSet } from '../model/runner-set.ts'

/** Returns whether the set starts no runner: idle runners are removed, and busy ones finish. A ceiling of 0 pauses a set, too. */
export function isPaused({ paused, scale }: Pick<RunnerSet, 'paused' | 'scale'>): boolean {
  return paused || scale.max === 0
}
