// Reads the text of a file, or returns the reason why there is none.
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import type { Skipped, SourceFile } from '../decode/document.ts'
import { reasonOf } from './reason-of.ts'

/** The size of a file that is read, unless the operator gives another. */
export const fileBytesMax = 4 * 1024 * 1024
/** The number of bytes of a large file that are searched for `apiVersion`. */
const searchedMax = 64 * 1024 * 1024
const pieceBytes = 4 * 1024 * 1024

/** Decodes bytes. Only UTF-8 survives a write byte for byte. */
export function decodeText(bytes: Uint8Array, shownAs: string, bytesMax = fileBytesMax): SourceFile | Skipped {
  if (bytes.length > bytesMax) return { file: shownAs, line: undefined, reason: tooLarge(bytesMax) }
  try {
    return { path: shownAs, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return mayHoldObjects(Buffer.from(bytes))
      ? { file: shownAs, line: undefined, reason: 'not UTF-8' }
      : { file: shownAs, line: undefined, reason: 'not text', intended: true }
  }
}

/** `shownAs`: the path as shown to people. */
export function readText(file: string, shownAs: string, bytesMax = fileBytesMax): SourceFile | Skipped {
  try {
    const { size } = statSync(file)
    if (size > bytesMax) {
      return size > searchedMax || searchLarge(file)
        ? { file: shownAs, line: undefined, reason: tooLarge(bytesMax) }
        : { file: shownAs, line: undefined, reason: `${tooLarge(bytesMax)}, and no manifest in it`, intended: true }
    }
    const text = readFileSync(file, 'utf8')
    // The decoder returns this letter for invalid UTF-8 and for the letter itself. Only the bytes show the difference.
    return text.includes('\uFFFD') ? decodeText(readFileSync(file), shownAs, bytesMax) : { path: shownAs, text }
  } catch (error) {
    return { file: shownAs, line: undefined, reason: reasonOf(error) }
  }
}

function tooLarge(bytesMax: number): string {
  return `larger than ${bytesMax / 1024 / 1024} MiB (--max-file-size)`
}

/** Whether a large file may be a manifest, and no lock file or picture. Reads pieces that overlap. */
function searchLarge(file: string): boolean {
  const piece = Buffer.alloc(pieceBytes)
  const overlap = 64
  const handle = openSync(file, 'r')
  try {
    for (let at = 0; ; at += pieceBytes - overlap) {
      const length = readSync(handle, piece, 0, pieceBytes, at)
      if (mayHoldObjects(piece.subarray(0, length))) return true
      if (length < pieceBytes) return false
    }
  } finally {
    closeSync(handle)
  }
}

/** Also searches UTF-16, which PowerShell writes. */
function mayHoldObjects(bytes: Buffer): boolean {
  return bytes.includes('apiVersion') || bytes.includes('apiVersion', 0, 'utf16le')
}
