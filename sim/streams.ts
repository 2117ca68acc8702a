// Independent random streams of one seed: what one part draws never changes what another part gets.
import { hashText } from '@dayfly/kit/hash'
import { type Random, seededRandom } from '@dayfly/kit/random'

export function streamOf(seed: number, part: string): Random {
  return seededRandom(Number.parseInt(hashText(`${seed} ${part}`, 8), 16))
}

/**
 * A stream for a part that draws millions of numbers. All streams of `streamOf` are parts of one cycle of 2^32 numbers, so
 * that two long ones may overlap: two processes of a long run then gave their runners the same names.
 */
export function longStreamOf(seed: number, part: string): Random {
  const one = streamOf(seed, part)
  const other = streamOf(seed, `${part}, the other half`)
  return () => (one() + other()) % 1
}

/** Returns one of the items. Throws if there is none. */
export function pick<Item>(items: readonly Item[], random: Random): Item {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}
