// Keeps the rows of a log until the server has acknowledged them. The server counts rows, so a repeated batch adds none twice.
import type { Instant } from '@dayfly/kit/clock'

export type Row = { readonly time: string; readonly content: string }

export interface PendingRows {
  add(lines: readonly string[], at: Instant): void
  /** Returns the next rows in the form of an UpdateLog. Without rows, everything is acknowledged. */
  batch(): { readonly index: string; readonly rows: readonly Row[]; readonly isLast: boolean }
  /** Drops the rows before this index. Returns whether there were any. */
  acknowledge(index: number): boolean
  /** The number of rows so far, with those that are acknowledged. */
  readonly total: number
  /** The characters that wait. */
  readonly chars: number
}

/** The maximum size of one call. */
const batchMax = { rows: 1_000, chars: 1024 * 1024 }

export function createPendingRows(): PendingRows {
  let rows: Row[] = []
  let first = 0
  let chars = 0
  return {
    add: (lines, at) => {
      const time = new Date(at).toISOString()
      for (const content of lines) {
        rows.push({ time, content })
        chars += content.length
      }
    },
    batch: () => {
      let size = 0
      const end = rows.findIndex(({ content }, index) => {
        size += content.length
        return index > 0 && (index >= batchMax.rows || size > batchMax.chars)
      })
      const batch = end < 0 ? rows.slice() : rows.slice(0, end)
      return { index: String(first), rows: batch, isLast: end < 0 }
    },
    acknowledge: (index) => {
      const gone = rows.slice(0, Math.max(0, index - first))
      rows = rows.slice(gone.length)
      first += gone.length
      for (const { content } of gone) chars -= content.length
      return gone.length > 0
    },
    get total() {
      return first + rows.length
    },
    get chars() {
      return chars
    },
  }
}
