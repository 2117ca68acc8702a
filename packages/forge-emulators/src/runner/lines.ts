// Splits a stream of bytes into lines. A script may print anything: no newline at all, endless lines, bytes that are not text.
import { StringDecoder } from 'node:string_decoder'

export interface LineCutter {
  write(chunk: Buffer): void
  /** Emits the rest of the stream as a last line. */
  end(): void
}

/** The maximum number of characters of a line. Further characters are only counted. */
export const lineMax = 64 * 1024

/** Creates a line cutter. As in the real runner, LF, CR LF and CR end a line. NUL characters are dropped. */
export function cutLines(onLine: (line: string) => void): LineCutter {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  let dropped = 0
  let afterReturn = false
  const emit = () => {
    onLine(dropped > 0 ? `${rest}… (${dropped} more characters)` : rest)
    rest = ''
    dropped = 0
  }
  const keep = (text: string) => {
    const room = Math.max(0, lineMax - rest.length)
    rest += text.slice(0, room)
    dropped += Math.max(0, text.length - room)
  }
  const take = (text: string) => {
    let start = 0
    for (const { 0: newline, index } of text.matchAll(/\r\n|\n|\r/g)) {
      // Skip the LF of a CR LF that is split between two chunks.
      if (!(newline === '\n' && index === 0 && afterReturn)) {
        keep(text.slice(start, index))
        emit()
      }
      start = index + newline.length
    }
    if (text !== '') afterReturn = text.endsWith('\r')
    keep(text.slice(start))
  }
  return {
    write: (chunk) => take(decoder.write(chunk).replaceAll('\0', '')),
    end: () => {
      take(decoder.end())
      if (rest !== '' || dropped > 0) emit()
    },
  }
}
