// The keys of one kind in order, so that a list needs no sorting and one namespace is one slice.

export interface SortedKeys {
  add(key: string): void
  remove(key: string): void
  /** All keys that begin with the prefix and come after `after`, in order. */
  from(prefix: string, after?: string): readonly string[]
}

export function createSortedKeys(): SortedKeys {
  const keys: string[] = []
  /** The index of the first key that is not before this one. */
  const position = (key: string): number => {
    let low = 0
    let high = keys.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((keys[middle] ?? '') < key) low = middle + 1
      else high = middle
    }
    return low
  }
  return {
    add: (key) => {
      keys.splice(position(key), 0, key)
    },
    remove: (key) => {
      keys.splice(position(key), 1)
    },
    from: (prefix, after) => {
      const start = after === undefined ? position(prefix) : position(`${after}\u0000`)
      const end = prefix === '' ? keys.length : position(`${prefix}\uffff`)
      return keys.slice(start, end)
    },
  }
}
