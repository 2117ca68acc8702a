// The promises that the simulation of lives checks, and what was broken. They look at the lives as they really are, never at the memory of the core.

/** `busy-runner`: no decision ends a runner that has a job. `ceiling`: living pods never exceed the maximum. `used-once`: no name comes twice.
 *  `leftovers`: every registration, pod and Secret is removed. `served`: a job gets its runner in time while nothing fails.
 *  `bounded`: the state of the core follows the runners that live. */
export const promiseNames = ['busy-runner', 'ceiling', 'used-once', 'leftovers', 'served', 'bounded'] as const
export type PromiseName = (typeof promiseNames)[number]
export type Broken = { readonly by: PromiseName; readonly sentence: string }

const brokenMax = 100

export class Promises {
  /** In order. The list stops at a hundred. */
  readonly memory = { broken: [] as Broken[] }

  get broken(): readonly Broken[] {
    return this.memory.broken
  }

  broke(by: PromiseName, sentence: string): void {
    if (this.broken.length < brokenMax) this.memory.broken.push({ by, sentence })
  }
}
