// When Dayfly tries again by itself: the three answers of the tables of failures.
import type { Retry } from './failure-info.ts'

const second = 1_000
const minute = 60 * second

export const never: Retry = { is: 'never' }
/** A failed start: the next one may work. */
export const soon: Retry = { is: 'backoff', baseMs: 2 * second, capMs: 5 * minute }
/** A refusal of the API server that may pass: trying again costs one dry run. */
export const refused: Retry = { is: 'backoff', baseMs: 5 * second, capMs: 30 * second }
/** The cause passes by itself, or by an operator's work outside the set. */
export const steady: Retry = { is: 'every', everyMs: 30 * second }
