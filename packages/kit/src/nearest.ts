// Guesses the meaning of a mistyped word.

/** Returns the closest word of `choices` whose edit distance is at most a third of the typed word's length. */
export function nearest(typed: string, choices: readonly string[]): string | undefined {
  let best: string | undefined
  let bestDistance = Math.max(1, Math.floor(typed.length / 3)) + 1
  for (const choice of choices) {
    const distance = editDistance(typed.slice(0, 40), choice)
    if (distance < bestDistance) {
      best = choice
      bestDistance = distance
    }
  }
  return best
}

/** Counts insertions, deletions, replacements and swaps of neighbours. */
function editDistance(left: string, right: string): number {
  const rows: number[][] = [Array.from({ length: right.length + 1 }, (_, index) => index)]
  const at = (row: number, column: number) => rows[row]?.[column] ?? 0
  for (let row = 1; row <= left.length; row++) {
    const current = [row]
    rows.push(current)
    for (let column = 1; column <= right.length; column++) {
      const replaced = at(row - 1, column - 1) + (left[row - 1] === right[column - 1] ? 0 : 1)
      const swaps = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]
      const swapped = swaps ? at(row - 2, column - 2) + 1 : replaced
      current.push(Math.min(replaced, swapped, at(row - 1, column) + 1, (current[column - 1] ?? 0) + 1))
    }
  }
  return at(left.length, right.length)
}
