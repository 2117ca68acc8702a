// A RunnerSet that cannot be read says so itself: nothing else would.
import type { Leadership } from '../kubernetes/lease.ts'
import type { KubeObject } from '../kubernetes/types.ts'
import type { ControllerOptions } from './options.ts'
import { runnerSets } from './resources.ts'

type Options = Pick<ControllerOptions, 'kubernetes' | 'clock'>

/** Writes Ready False with the problems, once a generation. A failed write is tried again when the watch tells of the set anew. */
export async function reportInvalid(
  { kubernetes, clock }: Options,
  leadership: Leadership,
  object: KubeObject,
  problems: readonly string[],
): Promise<void> {
  const { namespace = '', name, generation = 0 } = object.metadata
  const status = object['status'] as { readonly observedGeneration?: number } | undefined
  if (status?.observedGeneration === generation) return
  const condition = {
    type: 'Ready',
    status: 'False',
    reason: 'SpecInvalid',
    message: `${problems.join('; ')} — correct the set; it is read again as soon as it changes.`,
    observedGeneration: generation,
    lastTransitionTime: new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z'),
  }
  const body = {
    status: { observedGeneration: generation, lastMessage: problems.join('; '), conditions: [condition] },
  }
  const options = { subresource: 'status', signal: leadership.signal } as const
  await kubernetes.patch(runnerSets, { namespace, name }, { type: 'merge', body }, options).catch(() => {})
}
