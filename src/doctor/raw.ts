// Reads plain values of unknown shape: a field of another type than expected is taken as absent.

export type Raw = Readonly<Record<string, unknown>>

export function isRecord(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function asRecord(value: unknown): Raw | undefined {
  return isRecord(value) ? value : undefined
}

export function asRecords(value: unknown): readonly (Raw | undefined)[] {
  return Array.isArray(value) ? value.map(asRecord) : []
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

/** The entries whose value is text, or a number or boolean that a person forgot to quote. */
export function asTexts(value: unknown): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {}
  if (!isRecord(value)) return texts
  for (const key of Object.keys(value)) {
    const entry = value[key]
    if (typeof entry === 'string' || typeof entry === 'number' || typeof entry === 'boolean') texts[key] = String(entry)
  }
  return texts
}
