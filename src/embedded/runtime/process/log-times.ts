// When which part of a log was written, as far as it was watched: for lines with times, and for "since".
import type { Instant } from '../../../lib/clock.ts'

export interface LogTimes {
  /** The file has `size` bytes now. */
  record(size: number, at: Instant): void
  /** When the byte at this offset was seen. */
  timeOf(offset: number): Instant
  /** Where the first byte stands that was seen at or after this instant. */
  offsetSince(at: Instant): number
}

/** From `offset` on, what was written was seen at `at`. */
type Mark = { readonly offset: number; readonly at: Instant }

const marksMax = 4096

export function logTimes(start: Instant): LogTimes {
  let marks: Mark[] = []
  let size = 0
  const firstAfter = (isAfter: (mark: Mark) => boolean) => {
    let low = 0
    for (let high = marks.length; low < high; ) {
      const middle = (low + high) >> 1
      if (isAfter(marks[middle] as Mark)) high = middle
      else low = middle + 1
    }
    return low
  }
  return {
    record: (newSize, at) => {
      if (newSize <= size) return
      marks.push({ offset: size, at })
      size = newSize
      // A long log keeps fewer, coarser marks.
      if (marks.length > marksMax) marks = marks.filter((_, index) => index % 2 === 0)
    },
    timeOf: (offset) => marks[firstAfter((mark) => mark.offset > offset) - 1]?.at ?? start,
    offsetSince: (at) => marks[firstAfter((mark) => mark.at >= at)]?.offset ?? size,
  }
}
