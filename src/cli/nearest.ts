// Guesses what was meant by a mistyped word.

/** The word of `choices` that is at most a third of the typed word's letters away; undefined when none is. */
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

function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let row = 1; row <= left.length; row++) {
    const current = [row]
    for (let column = 1; column <= right.length; column++) {
      const swap = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1)
      current.push(Math.min(swap, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    previous = current
  }
  return previous[right.length] ?? 0
}
