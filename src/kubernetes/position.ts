// Where a watch stands. A resourceVersion is opaque (only equality means anything to us) except for one thing: where two of them are
// plain numbers, the smaller is the earlier one (Kubernetes KEP-5504), and no bookmark may move a watch back, or past events still to come.

export interface Position {
  /** From where the next watch is to start. */
  readonly resourceVersion: string
  /** An object's own version, from its event. Going back by one is harmless: what follows comes again. */
  event(resourceVersion: string): void
  /** A bookmark counts once a later one or the end of the stream confirms that no event was behind it. */
  bookmark(resourceVersion: string): void
  /** The server ended the stream in good order: everything up to its last bookmark was delivered. */
  ended(): void
}

export function createPosition(start: string): Position {
  let current = start
  let unconfirmed: string | undefined
  const confirm = () => {
    current = unconfirmed ?? current
    unconfirmed = undefined
  }
  return {
    get resourceVersion() {
      return current
    },
    event: (resourceVersion) => {
      current = resourceVersion
      unconfirmed = undefined
    },
    bookmark: (resourceVersion) => {
      if (isEarlier(resourceVersion, unconfirmed ?? current)) return
      if (resourceVersion !== unconfirmed) confirm()
      unconfirmed = resourceVersion
    },
    ended: confirm,
  }
}

/** Whether `left` is surely before `right`; false where that cannot be known. */
function isEarlier(left: string, right: string): boolean {
  if (!isNumber.test(left) || !isNumber.test(right)) return false
  return left.length === right.length ? left < right : left.length < right.length
}

const isNumber = /^[1-9]\d*$/
