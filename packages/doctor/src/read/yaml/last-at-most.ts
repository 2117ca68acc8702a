// Finds the line of an offset, among the offsets at which lines begin.

/** Returns the index of the last of these ascending numbers that is at most `most`; 0 if there is none. */
export function lastAtMost(ascending: readonly number[], most: number): number {
  let low = 0
  let high = ascending.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((ascending[middle] ?? 0) <= most) low = middle
    else high = middle - 1
  }
  return low
}
