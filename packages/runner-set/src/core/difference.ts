// Finds the fields of a sent object that the API server dropped or changed.

/** Returns the path of the first field of `sent` that `stored` lacks or has with another value; undefined if there is none.
 *  Additions do not count: webhooks and the API server add containers, mounts, defaults and tolerations. Nor do changes that keep the
 *  meaning: empty values are dropped, quantities written in another way (`0.5` becomes `500m`), and images taken from a mirror. */
export function firstDifference(sent: unknown, stored: unknown, path = ''): string | undefined {
  if (isEmpty(sent) && isEmpty(stored)) return undefined
  if (Array.isArray(sent)) return Array.isArray(stored) ? listDifference(sent, stored, path) : path
  if (typeof sent === 'object' && sent !== null) {
    if (stored === null || typeof stored !== 'object') return path
    const record = stored as Readonly<Record<string, unknown>>
    return first(Object.entries(sent), ([field, value]) => firstDifference(value, record[field], `${path}.${field}`))
  }
  if (quantityPath.test(path)) return stored === undefined ? path : undefined
  if (/\.image$/.test(path) && isMirror(sent, stored)) return undefined
  return sent === stored ? undefined : path
}

/** A resource may have dots in its name: `nvidia.com/gpu`. */
const quantityPath = /\.(limits|requests)\.[\w./-]+$|\.sizeLimit$/
/** A word that is added to a command changes what it does. Other lists of texts may gain entries. */
const commandPath = /\.(command|args)$/

function listDifference(sent: readonly unknown[], stored: readonly unknown[], path: string): string | undefined {
  if (commandPath.test(path) && stored.length !== sent.length) return path
  return first(sent, (entry, index) => {
    const at = `${path}[${index}]`
    if (commandPath.test(path)) return firstDifference(entry, stored[index], at)
    if (stored.some((candidate) => firstDifference(entry, candidate, at) === undefined)) return undefined
    return firstDifference(entry, matching(stored, entry, index), at)
  })
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === 0 || value === false) return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** Returns whether an image is the same repository name and tag from another registry, perhaps with its digest. */
function isMirror(sent: unknown, stored: unknown): boolean {
  if (typeof sent !== 'string' || typeof stored !== 'string') return false
  const name = (image: string) => image.replace(/^.*\//, '')
  return name(stored) === name(sent) || name(stored).startsWith(`${name(sent)}@sha256:`)
}

/** Finds the entry that belongs to a sent one, so that a path names the field that changed. */
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
