// Finds the fields of a sent object that the API server dropped or changed.

/** Returns the path of the first field of `sent` that `stored` lacks or has with another value; undefined if there is none.
 *  Added fields do not count. Nor do two habits of the API server: it drops empty values, and rewrites quantities (`0.5` becomes `500m`). */
export function firstDifference(sent: unknown, stored: unknown, path = ''): string | undefined {
  if (isEmpty(sent) && isEmpty(stored)) return undefined
  if (Array.isArray(sent)) {
    if (!Array.isArray(stored)) return path
    return first(sent, (entry, index) => firstDifference(entry, matching(stored, entry, index), `${path}[${index}]`))
  }
  if (typeof sent === 'object' && sent !== null) {
    if (stored === null || typeof stored !== 'object') return path
    const record = stored as Readonly<Record<string, unknown>>
    return first(Object.entries(sent), ([field, value]) => firstDifference(value, record[field], `${path}.${field}`))
  }
  if (quantityPath.test(path)) return stored === undefined ? path : undefined
  return sent === stored ? undefined : path
}

const quantityPath = /\.(limits|requests)\.[^.]+$|\.sizeLimit$/

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === 0 || value === false) return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** Finds the entry that belongs to a sent one. A list may have gained entries anywhere, so named entries are found by name. */
function matching(stored: readonly unknown[], entry: unknown, index: number): unknown {
  const name = nameOf(entry)
  return name === undefined ? stored[index] : stored.find((candidate) => nameOf(candidate) === name)
}

function nameOf(value: unknown): unknown {
  return value !== null && typeof value === 'object' ? (value as { readonly name?: unknown }).name : undefined
}

function first<T>(items: readonly T[], test: (item: T, index: number) => string | undefined): string | undefined {
  for (const [index, item] of items.entries()) {
    const found = test(item, index)
    if (found !== undefined) return found
  }
  return undefined
}
