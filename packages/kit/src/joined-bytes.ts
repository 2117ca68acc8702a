// Joins the chunks of an answer, a request or a line. A list of chunks would hold far more memory than bytes if a peer sends them one by one.

export class JoinedBytes {
  #bytes: Buffer = Buffer.alloc(0)
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Copies the chunk, unless it is the first one. */
  add(chunk: Buffer): void {
    const size = this.#size + chunk.length
    if (this.#size === 0) this.#bytes = chunk
    else {
      if (size > this.#bytes.length) this.#bytes = larger(this.#bytes, this.#size, 2 * size)
      chunk.copy(this.#bytes, this.#size)
    }
    this.#size = size
  }

  /** Returns all bytes, and begins again with none. */
  take(): Buffer {
    const all = this.#bytes.subarray(0, this.#size)
    this.#bytes = Buffer.alloc(0)
    this.#size = 0
    return all
  }
}

function larger(bytes: Buffer, used: number, size: number): Buffer {
  const copy = Buffer.allocUnsafe(size)
  bytes.copy(copy, 0, 0, used)
  return copy
}
