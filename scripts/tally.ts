// Counts passed, failed and skipped tests, and formats the counts as one line.

export type Tally = {
  passed: number
  failed: number
  skipped: { readonly name: string; readonly reason: string }[]
  /** The tests that belong to another tier. */
  left: number
}

export function emptyTally(): Tally {
  return { passed: 0, failed: 0, skipped: [], left: 0 }
}

export function addTally(total: Tally, part: Tally): void {
  total.passed += part.passed
  total.failed += part.failed
  total.skipped.push(...part.skipped)
  total.left += part.left
}

/** Returns a line for each skip with its reason, and then the line of the counts. */
export function describeTally({ passed, failed, skipped, left }: Tally): string {
  const reasons = skipped.map(({ name, reason }) => `skipped: ${name}: ${reason}\n`)
  const others = left === 0 ? '' : `left to the whole tier: ${left} tests of the same files\n`
  return `${reasons.join('')}${others}${passed} passed, ${failed} failed, ${skipped.length} skipped\n`
}
