// Reads the named inputs: paths from the working folder, and stdin.
import { fstatSync } from 'node:fs'
import { CliFailure } from '@dayfly/command-line/failure'
import { nearest } from '@dayfly/kit/nearest'
import { doctorName } from '../doctor-name.ts'
import type { Skipped, SourceFile } from '../read/decode/document.ts'
import { type Read, readSources } from '../read/files/read.ts'
import { decodeText } from '../read/files/read-text.ts'

export const stdinName = '<stdin>'

/** Reads the working folder if no path is given. Throws if a path names nothing. `bytesMax`: of each file. */
export async function readNamed(
  paths: readonly string[],
  folder: string,
  bytesMax: number,
): Promise<Omit<Read, 'missing'>> {
  const named = paths.filter((path) => path !== '-')
  const read = readSources(paths.length === 0 ? ['.'] : named, folder, bytesMax)
  if (read.missing.length > 0) throw missing(read.missing)
  if (named.length === paths.length) return read
  const typed = await readStdin(bytesMax)
  return 'text' in typed ? { ...read, files: [...read.files, typed] } : { ...read, skipped: [...read.skipped, typed] }
}

async function readStdin(bytesMax: number): Promise<SourceFile | Skipped> {
  if (process.stdin.isTTY || isNothing()) {
    throw new CliFailure({
      code: 'stdin-empty',
      sentence: '"-" reads manifests from stdin, and nothing is piped into it.',
      next: `Pipe them: helm template my-chart | ${doctorName} -`,
    })
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of process.stdin) {
    chunks.push(chunk)
    size += chunk.length
    if (size > bytesMax) break
  }
  return decodeText(Buffer.concat(chunks), stdinName, bytesMax)
}

/** Whether stdin is /dev/null, as in a program that has no stdin. */
function isNothing(): boolean {
  try {
    return fstatSync(0).isCharacterDevice()
  } catch {
    return true
  }
}

function missing(paths: readonly string[]): CliFailure {
  const [first, ...others] = paths.map((path) => {
    const guess = nearest(path, ['explain', 'baseline', 'rbac'])
    return {
      code: 'path-missing',
      sentence: `No file or folder matches "${path}".`,
      next: `${guess ? `Did you mean "${doctorName} ${guess}"? ` : ''}Name a file, a folder, a quoted glob, or - for stdin.`,
    }
  })
  return new CliFailure({ ...(first ?? { code: 'path-missing', sentence: '', next: '' }), others })
}
