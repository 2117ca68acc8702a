// Reads labels and annotations, also those that a person wrote without quotes.
import { fieldsAt, type Path } from '@dayfly/kit/read-json'

/** Returns the entries at a path whose value is a string, or a number or boolean that misses its quotes. */
export function labelsAt(root: unknown, ...path: Path): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {}
  for (const [key, entry] of Object.entries(fieldsAt(root, ...path) ?? {})) {
    if (typeof entry === 'string' || typeof entry === 'number' || typeof entry === 'boolean') texts[key] = String(entry)
  }
  return texts
}
