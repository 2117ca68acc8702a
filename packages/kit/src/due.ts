// Keeps keys by due time. A binary heap with lazy deletion makes a look-up cost as much as there are due keys, however many keys exist.
import type { Instant } from './clock.ts'

type Node = { readonly key: string; readonly at: Instant }

/** A heap with fewer outdated nodes is left alone. */
const sparedNodes = 64

export class DueIndex {
  readonly #at = new Map<string, Instant>()
  #heap: Node[] = []

  /** Returns the number of nodes in memory: never more than twice the keys, and a few. */
  get nodes(): number {
    return this.#heap.length
  }

  /** Sets or moves the due time of a key. */
  set(key: string, at: Instant): void {
    if (this.#at.get(key) === at) return
    this.#at.set(key, at)
    this.#heap.push({ key, at })
    this.#up(this.#heap.length - 1)
    if (this.#heap.length > 2 * this.#at.size + sparedNodes) this.#rebuild()
  }

  delete(key: string): void {
    this.#at.delete(key)
  }

  /** Returns the earliest due time of all keys. */
  next(): Instant | undefined {
    return this.#first()?.at
  }

  /** Removes and returns every key that is due at `now`, earliest first. */
  take(now: Instant): readonly string[] {
    const keys: string[] = []
    for (let node = this.#first(); node && node.at <= now; node = this.#first()) {
      this.#at.delete(node.key)
      keys.push(node.key)
    }
    return keys
  }

  /** Returns the earliest valid node. Drops the nodes of moved and deleted keys on the way. */
  #first(): Node | undefined {
    for (let node = this.#heap[0]; node; node = this.#heap[0]) {
      if (this.#at.get(node.key) === node.at) return node
      this.#pop()
    }
    return undefined
  }

  /** A deleted key with a due time far ahead would keep its node until then. A sorted list is a heap. */
  #rebuild(): void {
    this.#heap = [...this.#at].map(([key, at]) => ({ key, at })).sort((left, right) => (before(left, right) ? -1 : 1))
  }

  #pop(): void {
    const last = this.#heap.pop()
    if (last && this.#heap.length > 0) {
      this.#heap[0] = last
      this.#down()
    }
  }

  #up(start: number): void {
    const heap = this.#heap
    for (let index = start; index > 0; ) {
      const parent = (index - 1) >> 1
      if (!before(heap[index], heap[parent])) return
      swap(heap, index, parent)
      index = parent
    }
  }

  #down(): void {
    const heap = this.#heap
    for (let index = 0; ; ) {
      const left = 2 * index + 1
      const right = left + 1
      let least = index
      if (before(heap[left], heap[least])) least = left
      if (before(heap[right], heap[least])) least = right
      if (least === index) return
      swap(heap, index, least)
      index = least
    }
  }
}

function before(left: Node | undefined, right: Node | undefined): boolean {
  if (!left || !right) return false
  return left.at < right.at || (left.at === right.at && left.key < right.key)
}

function swap(heap: Node[], left: number, right: number): void {
  const first = heap[left]
  const second = heap[right]
  if (!first || !second) return
  heap[left] = second
  heap[right] = first
}
