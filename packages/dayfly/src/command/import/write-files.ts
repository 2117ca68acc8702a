// Writes the output of an import to a new or existing folder. A file with the same name is replaced.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CliFailure } from '@dayfly/command-line/failure'

/** @param files the text of each file, by its name in the folder */
export function writeFiles(folder: string, files: ReadonlyMap<string, string>): void {
  try {
    mkdirSync(folder, { recursive: true })
    for (const [name, text] of files) writeHere(path.join(folder, name), text)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.replace(/^[A-Z]+: /, '') : 'unknown error'
    const sentence = `The folder ${folder} cannot be written: ${why}.`
    const next = 'Name another folder with --out.'
    throw new CliFailure({ code: 'output-unwritable', sentence, next, cause, exitCode: 1 })
  }
}

/** Writes a file of the folder. A symbolic link would lead to a file elsewhere, so it is replaced by the file. */
function writeHere(file: string, text: string): void {
  const written = `${file}.${process.pid}`
  writeFileSync(written, text, { flag: 'wx' })
  renameSync(written, file)
}
