// Counts of what passed, failed and was skipped, and the one line in which they end.

export type Tally = { passed: number; failed: number; skipped: { readonly name: string; readonly reason: string }[] }

export function emptyTally(): Tally {
  return { passed: 0, failed: 0, skipped: [] }
}

export function addTally(total: Tally, part: Tally): void {
  total.passed += part.passed
  total.failed += part.failed
  total.skipped.push(...part.skipped)
}

/** Each skip with its reason, then the closing line. */
export function describeTally({ passed, failed, skipped }: Tally): string {
  const reasons = skipped.map(({ name, reason }) => `skipped: ${name}: ${reason}\n`)
  return `${reasons.join('')}${passed} passed, ${failed} failed, ${skipped.length} skipped\n`
}
