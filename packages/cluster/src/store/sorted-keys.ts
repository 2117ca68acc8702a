// The keys of one kind in order. Lists need no sorting, and a namespace is one slice. The keys are in blocks of bounded size,
// so that a change costs the same at a hundred and at a million keys.

export interface SortedKeys {
  /** Adds a key that is not there yet. */
  add(key: string): void
  /** Removes a key that is there. */
  remove(key: string): void
  /** Returns the keys that begin with the prefix and follow `after`, in order. */
  from(prefix: string, after?: string): readonly string[]
}

/** A block that grows beyond this is split in two halves. */
const blockMax = 512

export function createSortedKeys(): SortedKeys {
  /** A block is never empty, unless it is the only one. Each key of a block is smaller than those of the next block. */
  const blocks: string[][] = [[]]
  /** Returns the index of the last block whose first key is not larger than this one. */
  const blockOf = (key: string): number => {
    let low = 1
    let high = blocks.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((blocks[middle]?.[0] ?? '') <= key) low = middle + 1
      else high = middle
    }
    return low - 1
  }
  const insert = (key: string): void => {
    const index = blockOf(key)
    const block = blocks[index] ?? []
    block.splice(position(block, key), 0, key)
    if (block.length > blockMax) blocks.splice(index + 1, 0, block.splice(blockMax >> 1))
  }
  const take = (key: string): void => {
    const index = blockOf(key)
    const block = blocks[index] ?? []
    block.splice(position(block, key), 1)
    if (block.length === 0 && blocks.length > 1) blocks.splice(index, 1)
  }
  /** The changes since the last list. Many keys come and go between two lists, and those need no place. */
  const changes = new Map<string, (key: string) => void>()
  const change = (key: string, place: (key: string) => void): void => {
    if (!changes.delete(key)) changes.set(key, place)
  }
  return {
    add: (key) => change(key, insert),
    remove: (key) => change(key, take),
    from: (prefix, after) => {
      for (const [key, place] of changes) place(key)
      changes.clear()
      const first = after === undefined ? prefix : `${after}\u0000`
      const end = prefix === '' ? undefined : `${prefix}\uffff`
      const found: string[] = []
      for (let index = blockOf(first); index < blocks.length; index++) {
        const block = blocks[index] ?? []
        if (end !== undefined && (block[0] ?? '') >= end) break
        const start = position(block, first)
        const stop = end === undefined ? block.length : position(block, end)
        for (let at = start; at < stop; at++) found.push(block[at] ?? '')
      }
      return found
    },
  }
}

/** Returns the index of the first key of the block that is not smaller than this one. */
function position(block: readonly string[], key: string): number {
  let low = 0
  let high = block.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((block[middle] ?? '') < key) low = middle + 1
    else high = middle
  }
  return low
}
