// Decides whether a runner may be busy. Every deletion asks this first. Unknown counts as busy.

export type RunnerSigns = {
  /** The state of the runner container. `lost`: it ran, and its node is gone. `unknown`: also a container that may start again at any moment. */
  readonly container: 'running' | 'not-started' | 'ended' | 'no-pod' | 'lost' | 'unknown'
  /** Whether ARC's status names a job. */
  readonly arc: 'job' | 'no-job' | 'not-arc' | 'unknown'
  /** `absent`: the forge answered completely, without this runner. */
  readonly forge: 'busy' | 'idle' | 'absent' | 'not-asked' | 'unknown'
}

export type BusyVerdict = { readonly busy: boolean; readonly because: string }

/** The first condition that applies decides. The table in the test covers all of them. */
export function mayBeBusy({ container, arc, forge }: RunnerSigns): BusyVerdict {
  if (forge === 'busy') return busy('the forge says it is busy')
  if (forge === 'unknown') return busy('the forge does not say whether it is busy')
  // ARC never clears the job. A runner that no longer works and that the forge dropped has ended it, or lost it.
  if (
    arc === 'job' &&
    !(forge === 'absent' && (container === 'ended' || container === 'no-pod' || container === 'lost'))
  )
    return busy('its status at ARC names a job')
  if (arc === 'unknown') return busy('its status at ARC could not be read')
  if (container === 'running') return busy('its runner container is running')
  if (container === 'unknown') return busy('the state of its runner container is not known')
  if (container === 'lost' && forge !== 'absent')
    return busy('its node is gone, and the forge has not said that it is no longer registered')
  return { busy: false, because: free[container] }
}

const free: Readonly<Record<'not-started' | 'ended' | 'no-pod' | 'lost', string>> = {
  'not-started': 'its runner container never started',
  ended: 'its runner container has ended',
  'no-pod': 'it has no pod',
  lost: 'its node is gone, and the forge no longer knows it',
}

function busy(because: string): BusyVerdict {
  return { busy: true, because }
}
