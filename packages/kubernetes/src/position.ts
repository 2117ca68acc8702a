// The position of a watch: the resourceVersion from which the next watch starts. A bookmark must move it neither back nor past pending events.
// Resource versions are opaque, with one exception: if two are plain numbers, the smaller is the earlier one (Kubernetes KEP-5504).

export interface Position {
  /** The resource version from which the next watch starts. */
  readonly resourceVersion: string
  /** Records the version of an event's object. An older version is harmless: the server sends the later events again. */
  event(resourceVersion: string): void
  /** Records a bookmark. It counts after a later bookmark or the end of the stream confirms that no event was missing. */
  bookmark(resourceVersion: string): void
  /** Records that the server ended the stream properly, so that all events before its last bookmark have arrived. */
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

/** Returns whether `left` is certainly before `right`. Returns false if that is unknown. */
function isEarlier(left: string, right: string): boolean {
  if (!isNumber.test(left) || !isNumber.test(right)) return false
  return left.length === right.length ? left < right : left.length < right.length
}

const isNumber = /^[1-9]\d*$/
