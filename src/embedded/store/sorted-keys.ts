// The keys of one kind in order. Lists need no sorting, and a namespace is one slice.

export interface SortedKeys {
  add(key: string): void
  remove(key: string): void
  /** Returns the keys that begin with the prefix and follow `after`, in order. */
  from(prefix: string, after?: string): readonly string[]
}

export function createSortedKeys(): SortedKeys {
  const keys: string[] = []
  /** Returns the index of the first key that is not smaller than this one. */
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
