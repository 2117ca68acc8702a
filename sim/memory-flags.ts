// Flags of Node for the processes of the simulation. Most objects of a job die young, also those that live for its minutes of
// virtual time: a larger young generation copies fewer of them. Each processor has a process of its own, so threads of the
// collector only wait for each other: one thread takes 5 % less processor time.
export const memoryFlags: readonly string[] = ['--max-semi-space-size=64', '--single-threaded-gc']

/**
 * Flags for a long run. Ten thousand runners have about 1.1 GB of live objects. The growth between two collections decides how
 * much memory comes on top: with 75 %, a run of 87,000 jobs had 2.2 GB.
 */
export const longRunFlags: readonly string[] = ['--max-semi-space-size=128', '--heap-growing-percent=20']

/** Flags for the simulation of lives. Each lap ends with a collection, to see what is alive. A larger young generation saves no time here. */
export const livesFlags: readonly string[] = ['--max-semi-space-size=16', '--expose-gc']
