// How a step of a confirmed plan ends, and what an error says about it.
import { KubernetesError } from '@dayfly/kubernetes/errors'
import { PortError } from '@dayfly/runner-set/model/port-error'
import { AccessFailure } from './read.ts'

/** `kept`: a check or the server refused it, and its target stays. `unknown`: it had begun, and its result could not be read. */
export type Outcome = { readonly is: 'done' | 'kept' | 'unknown' | 'skipped'; readonly why: string }

export type StepResult<Step> = Outcome & { readonly step: Step }

/** Takes one step. The signal keeps a step from its begin, and ends one that is under way. */
export async function takeStep(signal: AbortSignal | undefined, act: () => Promise<Outcome>): Promise<Outcome> {
  if (signal?.aborted) return { is: 'skipped', why: 'interrupted' }
  try {
    return await act()
  } catch (error) {
    const cause = error instanceof AccessFailure ? error.error : error
    if (cause instanceof KubernetesError) return { is: cause.perhapsDone ? 'unknown' : 'kept', why: cause.message }
    if (cause instanceof PortError) return { is: cause.kind === 'unavailable' ? 'unknown' : 'kept', why: cause.message }
    if (signal?.aborted) return { is: 'unknown', why: 'interrupted before its end' }
    throw error
  }
}

export function kept(why: string): Outcome {
  return { is: 'kept', why }
}
