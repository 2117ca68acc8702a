// Flags of Node for the processes of the simulation. Most objects of a job die young, also those that live for its minutes of
// virtual time: a larger young generation copies fewer of them.
export const memoryFlags: readonly string[] = ['--max-semi-space-size=64']

/**
 * Flags for a long run. Without a bound of its growth, the heap of ten thousand runners grows to almost three times what is
 * alive. Peak RSS of a run with ten thousand runners: 1.3 GB with these values, and 1.9 GB with 256 and 100.
 */
export const longRunFlags: readonly string[] = ['--max-semi-space-size=128', '--heap-growing-percent=75']

/** Flags for the simulation of lives. Each lap ends with a collection, to see what is alive. A larger young generation saves no time here. */
export const livesFlags: readonly string[] = ['--max-semi-space-size=16', '--expose-gc']
