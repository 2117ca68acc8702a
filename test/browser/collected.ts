// Collects what the server sends on streams, beside the page.

export type Collected = { readonly text: () => string; readonly close: () => Promise<void> }

/** Reads the stream until it ends or the test closes it. */
export function collect(address: string): Collected {
  const stop = new AbortController()
  let text = ''
  const reading = read(address, stop.signal, (part) => {
    text += part
  })
  return {
    text: () => text,
    close: async () => {
      stop.abort()
      await reading
    },
  }
}

async function read(address: string, signal: AbortSignal, onPart: (part: string) => void): Promise<void> {
  try {
    const { body } = await fetch(address, { signal })
    const decoder = new TextDecoder()
    for await (const chunk of body ?? []) onPart(decoder.decode(chunk, { stream: true }))
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** Returns the ways in which a secret could be in a text. Base64 of a longer text has one of three alignments. */
export function formsOf(secret: string): readonly string[] {
  const shifted = [0, 1, 2].map((shift) => {
    const whole = Buffer.from(`${'x'.repeat(shift)}${secret}`).toString('base64')
    return whole.slice(4, -4)
  })
  return [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), ...shifted]
}
