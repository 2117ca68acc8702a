// Whether a runner may be busy: the one question that comes before every deletion. What is not known counts as busy.

export type RunnerSigns = {
  /** The runner container. `lost`: it ran when its node was last heard of, and the node is gone. `unknown`: also one that may start again at any moment. */
  readonly container: 'running' | 'not-started' | 'ended' | 'no-pod' | 'lost' | 'unknown'
  /** Whether ARC's status names a job. */
  readonly arc: 'job' | 'no-job' | 'not-arc' | 'unknown'
  /** `absent`: a complete answer without this runner. */
  readonly forge: 'busy' | 'idle' | 'absent' | 'not-asked' | 'unknown'
}

export type BusyVerdict = { readonly busy: boolean; readonly because: string }

/** The first line that fits decides; the table of the test has them all. */
export function mayBeBusy({ container, arc, forge }: RunnerSigns): BusyVerdict {
  if (forge === 'busy') return busy('the forge says it is busy')
  if (forge === 'unknown') return busy('the forge does not say whether it is busy')
  if (arc === 'job') return busy('its status at ARC names a job')
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
