// Whether a runner may end: the cause, the forge's answer to its deregistration, and the state of its container decide.
import type { EndCause } from '../model/end-cause.ts'
import type { DeregisterAnswer } from '../model/runner.ts'

/** The runner container: it has not started, it runs, or it has ended. */
export type ContainerState = 'waiting' | 'running' | 'ended'

/** `end`: delete Secret and pod. `ask`: deregister first. `retry`: deregister again later. `keep`: the runner lives on. */
export type EndVerdict = 'end' | 'ask' | 'retry' | 'keep'

/** Returns what the end of one runner needs now.
 *  @param answer `unasked` for a runner whose registration is present; `absent` for a runner that is known to have none. */
export function mayEnd(cause: EndCause['kind'], answer: DeregisterAnswer, container: ContainerState): EndVerdict {
  // The container has ended: nothing can be killed any more.
  if (container === 'ended') return 'end'
  // This cause needs a container that has ended.
  if (cause === 'ended') return 'keep'
  if (answer === 'unasked') return 'ask'
  // A forge that refuses to remove busy runners has proved that this one is idle.
  if (answer === 'removed') return 'end'
  // The operator's own bound: the one cause that ends a busy runner.
  if (cause === 'life-exceeded') return 'end'
  // Only its forge knows when the next job of a spent runner is over.
  if (answer === 'busy') return cause === 'spent' ? 'retry' : 'keep'
  if (answer === 'refused') return 'retry'
  // The registration is absent. A container that runs may have got a job at this moment, so its absence proves nothing.
  // Only two complete lists without the registration prove it, and they make the cause `ghost`.
  return container === 'waiting' || cause === 'ghost' ? 'end' : 'retry'
}
