// Counts passed, failed and skipped tests, and formats the counts as one line.

export type Tally = { passed: number; failed: number; skipped: { readonly name: string; readonly reason: string }[] }

export function emptyTally(): Tally {
  return { passed: 0, failed: 0, skipped: [] }
}

export function addTally(total: Tally, part: Tally): void {
  total.passed += part.passed
  total.failed += part.failed
  total.skipped.push(...part.skipped)
}

/** Returns a line for each skip with its reason, and then the line of the counts. */
export function describeTally({ passed, failed, skipped }: Tally): string {
  const reasons = skipped.map(({ name, reason }) => `skipped: ${name}: ${reason}\n`)
  return `${reasons.join('')}${passed} passed, ${failed} failed, ${skipped.length} skipped\n`
}
