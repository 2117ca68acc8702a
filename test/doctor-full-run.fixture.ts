// Bounds the tests of very many cases: `npm test` runs a part of them in minutes, and `DAYFLY_FULL=1` runs them all.

export const isFullRun = process.env['DAYFLY_FULL'] === '1'

/**
 * Returns every fourth entry, or all in a full run. `offset`: the number of a variant, such as a style.
 * So four variants together take every entry, and each variant takes some.
 */
export function partOf<Entry>(all: readonly Entry[], offset: number): readonly Entry[] {
  return isFullRun ? all : all.filter((_, index) => (index + offset) % 4 === 0)
}
