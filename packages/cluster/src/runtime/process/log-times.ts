// Remembers when each part of a log was written, for `timestamps` and `since`.
import type { Instant } from '@dayfly/kit/clock'

export interface LogTimes {
  /** Records that the file has `size` bytes at `at`. Returns whether it has grown. */
  record(size: number, at: Instant): boolean
  /** Returns the sizes and times from which the same times can be recorded again. */
  recorded(): readonly { readonly size: number; readonly at: Instant }[]
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
      if (newSize <= size) return false
      // The machine's clock may have been set back.
      marks.push({ offset: size, at: Math.max(at, marks.at(-1)?.at ?? at) })
      size = newSize
      // Drop every second mark of a long log.
      if (marks.length > marksMax) marks = marks.filter((_, index) => index % 2 === 0)
      return true
    },
    recorded: () => marks.map(({ at }, index) => ({ size: marks[index + 1]?.offset ?? size, at })),
    timeOf: (offset) => marks[firstAfter((mark) => mark.offset > offset) - 1]?.at ?? start,
    offsetSince: (at) => marks[firstAfter((mark) => mark.at >= at)]?.offset ?? size,
  }
}
