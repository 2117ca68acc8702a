/** Is true in `npm run test:full`: tests then run with their full budgets. `npm test` runs the part that shows the same faults in less time. */
export const isFull: boolean = process.env['DAYFLY_FULL'] === '1'

/**
 * Returns every sixteenth entry, or all in a full run. `offset`: the number of a variant, such as a style.
 * So sixteen variants together take every entry, and each variant takes some.
 */
export function partOf<Entry>(all: readonly Entry[], offset: number): readonly Entry[] {
  return isFull ? all : all.filter((_, index) => (index + offset) % 16 === 0)
}
