// Chooses the rows of a long table that exist, and the empty space before and after them.

export type RowWindow = {
  readonly first: number
  /** The last row is the one before this. */
  readonly end: number
  /** Pixels. */
  readonly before: number
  readonly after: number
}

/** Rows outside the box exist too, so that scrolling and the Tab key find the next ones. */
const spare = 12

export function rowWindow(
  rows: number,
  top: number,
  { rowHeight, boxHeight }: { readonly rowHeight: number; readonly boxHeight: number },
): RowWindow {
  const visible = Math.ceil(boxHeight / rowHeight)
  const end = Math.min(rows, top + visible + spare)
  const first = Math.max(0, Math.min(top, rows - visible) - spare)
  return { first, end, before: first * rowHeight, after: (rows - end) * rowHeight }
}
