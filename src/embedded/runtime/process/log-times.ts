// Remembers when each part of a log was written, for `timestamps` and `since`.
import type { Instant } from '../../../lib/clock.ts'

export interface LogTimes {
  /** Records that the file has `size` bytes at `at`. */
  record(size: number, at: Instant): void
  /** Returns when the byte at this offset was first seen. */
  timeOf(offset: number): Instant
  /** Returns the offset of the first byte that was seen at or after this instant. */
  offsetSince(at: Instant): number
}

/** The bytes from `offset` on were first seen at `at`. */
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
      // Drop every second mark of a long log.
      if (marks.length > marksMax) marks = marks.filter((_, index) => index % 2 === 0)
    },
    timeOf: (offset) => marks[firstAfter((mark) => mark.offset > offset) - 1]?.at ?? start,
    offsetSince: (at) => marks[firstAfter((mark) => mark.at >= at)]?.offset ?? size,
  }
}
