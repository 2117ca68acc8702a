// Cuts a stream of bytes into lines. A script may print anything: no newline at all, lines without end, bytes that are no text.
import { StringDecoder } from 'node:string_decoder'

export interface LineCutter {
  write(chunk: Buffer): void
  /** The rest without a newline, at the end of the stream. */
  end(): void
}

/** Characters of a line that are kept; what follows is counted and named. */
export const lineMax = 64 * 1024

/** Ends of lines are LF, CR LF and CR, as for the real runner. NUL characters are dropped. */
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
      // The LF of a CR LF that two chunks share.
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
