// Texts that were seen once, as numbers of 53 bits in one table: a million of them need 16 MB. Two different texts of a
// million have the same number with a chance of one in 18,000.

export interface Fingerprints {
  /** Adds the text. Returns whether it was there. */
  seen(text: string): boolean
  /** Returns the numbers, for a table that continues this one. */
  save(): Float64Array
}

const firstSize = 1_024

/** @param saved the numbers of the table that this one continues */
export function createFingerprints(saved: Float64Array = new Float64Array()): Fingerprints {
  // 0 is an empty place. The places after a taken one are tried in turn.
  let table = new Float64Array(firstSize)
  let count = 0
  const placeOf = (places: Float64Array, print: number): number => {
    let at = print % places.length
    while (places[at] !== 0 && places[at] !== print) at = (at + 1) % places.length
    return at
  }
  const grow = () => {
    const larger = new Float64Array(table.length * 2)
    for (const print of table) if (print !== 0) larger[placeOf(larger, print)] = print
    table = larger
  }
  const add = (print: number): boolean => {
    const at = placeOf(table, print)
    if (table[at] === print) return false
    table[at] = print
    count++
    if (count * 2 > table.length) grow()
    return true
  }
  for (const print of saved) add(print)
  return { seen: (text) => !add(fingerprint(text)), save: () => table.filter((print) => print !== 0) }
}

/** Two sums of the kind of FNV-1a with different starts, in one number that a double holds exactly. It is never 0. */
function fingerprint(text: string): number {
  let low = 0x811c9dc5
  let high = 0x9747b28c
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    low = Math.imul(low ^ code, 0x01000193)
    high = Math.imul(high ^ code, 0x5bd1e995)
    high ^= high >>> 15
  }
  return (high >>> 11) * 2 ** 32 + (low >>> 0) + 1
}
