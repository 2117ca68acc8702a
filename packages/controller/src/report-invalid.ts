// Writes on a RunnerSet why Dayfly cannot read it.
import { timestamp } from '@dayfly/kit/timestamp'
import type { Leadership } from '@dayfly/kubernetes/lease'
import type { KubeObject } from '@dayfly/kubernetes/types'
import type { ControllerOptions } from './options.ts'
import { writeStatus } from './write-status.ts'

type Options = Pick<ControllerOptions, 'kubernetes' | 'clock'>

/** Writes the condition Ready=False with the problems, once for each generation. A failed write is repeated with the next event of the set. */
export async function reportInvalid(
  { kubernetes, clock }: Options,
  leadership: Leadership,
  object: KubeObject,
  problems: readonly string[],
): Promise<void> {
  const { namespace = '', name, uid = '', generation = 0 } = object.metadata
  const status = object['status'] as { readonly observedGeneration?: number } | undefined
  if (status?.observedGeneration === generation) return
  const condition = {
    reason: 'SpecInvalid',
    message: `${problems.join('; ')} — Correct the set. Dayfly reads it again as soon as it changes.`,
    observedGeneration: generation,
    lastTransitionTime: timestamp(clock.now()),
  }
  const conditions = [
    { ...condition, type: 'Ready', status: 'False' },
    { ...condition, type: 'Stalled', status: 'True' },
  ]
  const lastMessage = problems.join('; ')
  const fields = { observedGeneration: generation, lastReason: 'spec-invalid', lastMessage, problems: [], conditions }
  await writeStatus(kubernetes, { namespace, name, uid }, fields, leadership.signal).catch(() => {})
}
