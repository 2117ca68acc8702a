// Reads a file that holds a credential for a forge. No message repeats its text.
import { readFile } from 'node:fs/promises'
import { CliFailure } from '@dayfly/command-line/failure'

export type CredentialFile = {
  readonly file: string
  /** The beginning of the failure codes, for example `github-token`. */
  readonly code: string
  /** The content, for messages. */
  readonly noun: string
  readonly next: string
}

export async function readCredentialFile({ file, code, noun, next }: CredentialFile): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    const absent = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    throw new CliFailure({
      code: `${code}-${absent ? 'missing' : 'unreadable'}`,
      sentence: absent ? `There is no ${noun} file ${file}.` : `The ${noun} file ${file} cannot be read.`,
      next,
      cause,
    })
  }
}
