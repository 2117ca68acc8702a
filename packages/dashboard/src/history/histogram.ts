// Counts of times in cells whose width grows with the time: few numbers, and a bounded relative error.

/** Each cell ends 8 % above its begin, so its middle is at most 4 % away from each time in it. */
const growth = 1.08
const logGrowth = Math.log(growth)

export class Histogram {
  readonly #counts = new Map<number, number>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(ms: number, count = 1): void {
    this.#addTo(cellOf(ms), count)
  }

  merge(other: Histogram): void {
    for (const [cell, count] of other.#counts) this.#addTo(cell, count)
  }

  /** Returns the time that the part `share` of all times does not exceed; null without a time. The error is at most 4 %. */
  percentile(share: number): number | null {
    if (this.#size <= 0) return null
    let left = Math.max(1, Math.ceil(share * this.#size))
    for (const [cell, count] of this.#sorted()) {
      left -= count
      if (left <= 0) return middleOf(cell)
    }
    return null
  }

  /** Returns the part of all times up to `ms`; null without a time. */
  within(ms: number): number | null {
    if (this.#size <= 0) return null
    const last = cellOf(ms)
    let count = 0
    for (const [cell, of] of this.#counts) {
      if (cell < last) count += of
      if (cell === last) count += of * partOf(cell, ms)
    }
    return count / this.#size
  }

  /** Returns pairs of cell and count, for a file. */
  cells(): readonly (readonly [number, number])[] {
    return this.#sorted()
  }

  /** Adds pairs of a file. */
  restore(cells: Iterable<readonly [number, number]>): void {
    for (const [cell, count] of cells) this.#addTo(cell, count)
  }

  #addTo(cell: number, count: number): void {
    this.#counts.set(cell, (this.#counts.get(cell) ?? 0) + count)
    this.#size += count
  }

  #sorted(): readonly (readonly [number, number])[] {
    return [...this.#counts].sort(([one], [other]) => one - other)
  }
}

/** Times below one millisecond are 0. */
function cellOf(ms: number): number {
  return ms < 1 ? 0 : 1 + Math.floor(Math.log(ms) / logGrowth)
}

function middleOf(cell: number): number {
  return cell === 0 ? 0 : growth ** (cell - 0.5)
}

/** The part of a cell that lies below a time in it. */
function partOf(cell: number, ms: number): number {
  if (cell === 0) return 1
  return Math.min(1, Math.max(0, Math.log(ms) / logGrowth - (cell - 1)))
}
