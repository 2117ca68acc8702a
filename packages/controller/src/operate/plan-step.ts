// One line of a plan.

/** One thing that the controller would do, would wait for, or refuses to do now. */
export type PlanStep = {
  readonly does: 'start' | 'end' | 'cordon' | 'check' | 'wait' | 'refuse' | 'nothing'
  readonly runner?: string
  readonly sentence: string
}
