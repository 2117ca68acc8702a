// A file → its text, or why there is none.
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import type { Skipped, SourceFile } from './document.ts'
import { reasonOf } from './reason-of.ts'

const bytesMax = 4 * 1024 * 1024
/** Of a file that is too large, so much is searched for the word that every manifest has. */
const searchedMax = 64 * 1024 * 1024
const tooLarge = `larger than ${bytesMax / 1024 / 1024} MiB`

/** Bytes → text, or why not. Only UTF-8 survives being written back byte for byte. */
export function decodeText(bytes: Uint8Array, shownAs: string): SourceFile | Skipped {
  if (bytes.length > bytesMax) return { file: shownAs, line: undefined, reason: tooLarge }
  try {
    return { path: shownAs, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return mayHoldObjects(Buffer.from(bytes))
      ? { file: shownAs, line: undefined, reason: 'not UTF-8' }
      : { file: shownAs, line: undefined, reason: 'not text', intended: true }
  }
}

/** `shownAs`: its path as people are shown it. */
export function readText(file: string, shownAs: string): SourceFile | Skipped {
  try {
    const { size } = statSync(file)
    if (size > bytesMax) {
      return size > searchedMax || searchLarge(file)
        ? { file: shownAs, line: undefined, reason: tooLarge }
        : { file: shownAs, line: undefined, reason: `${tooLarge}, and no manifest in it`, intended: true }
    }
    const text = readFileSync(file, 'utf8')
    // The decoder writes this letter for what is not UTF-8, and for itself: only the bytes tell which.
    return text.includes('\uFFFD') ? decodeText(readFileSync(file), shownAs) : { path: shownAs, text }
  } catch (error) {
    return { file: shownAs, line: undefined, reason: reasonOf(error) }
  }
}

/** Whether a lock file or a picture may be what its name says: a manifest. Piece by piece, each with the end of the one before. */
function searchLarge(file: string): boolean {
  const piece = Buffer.alloc(bytesMax)
  const overlap = 64
  const handle = openSync(file, 'r')
  try {
    for (let at = 0; ; at += bytesMax - overlap) {
      const length = readSync(handle, piece, 0, bytesMax, at)
      if (mayHoldObjects(piece.subarray(0, length))) return true
      if (length < bytesMax) return false
    }
  } finally {
    closeSync(handle)
  }
}

/** Also in the encoding that PowerShell writes. */
function mayHoldObjects(bytes: Buffer): boolean {
  return bytes.includes('apiVersion') || bytes.includes('apiVersion', 0, 'utf16le')
}
