// What a RunnerSet shows of itself (its status sub-resource).
import type { FailureReason } from './failure.ts'

export type Condition = {
  readonly type: 'Ready' | 'TemplateAccepted' | 'ForgeConnected' | 'Degraded'
  readonly status: 'True' | 'False' | 'Unknown'
  /** CamelCase, as Kubernetes wants it. */
  readonly reason: string
  readonly message: string
}

/** A count that may be unknown is null there: unknown is not zero. */
export type SetStatus = {
  readonly observedGeneration: number
  readonly demand: number | null
  readonly idle: number | null
  readonly busy: number | null
  readonly pending: number | null
  readonly failed: number | null
  readonly lastReason: FailureReason | null
  readonly lastMessage: string | null
  readonly conditions: readonly Condition[]
  readonly forge: Readonly<Record<string, string>>
}
