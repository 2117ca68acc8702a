// The only door to the terminal: results go to stdout, everything for the reader's eyes to stderr.
import { printable, printableJson } from '../lib/printable.ts'

/** A line of the command's result. */
export function printLine(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** The command's result as it is. */
export function printResult(text: string): void {
  process.stdout.write(text)
}

/** The command's result as one line of JSON. */
export function printJson(value: unknown): void {
  process.stdout.write(`${printableJson(value)}\n`)
}

/** Whether the result goes to a terminal that shows colours. */
export function resultHasColour(): boolean {
  return process.stdout.isTTY === true && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb'
}

/** How many columns the result's terminal has; undefined where it goes elsewhere. */
export function resultColumns(): number | undefined {
  return process.stdout.isTTY === true ? process.stdout.columns : undefined
}

/** A line of progress, a warning, an error: never part of the result. It may quote a file or a server, so it is made printable. */
export function printNote(text: string): void {
  process.stderr.write(`${printable(text)}\n`)
}

/** Raw text to stderr: what redraws itself on a terminal. */
export function printRaw(text: string): void {
  process.stderr.write(text)
}

/** Whether somebody sees stderr redraw, and how many columns they have. */
export function screen(): { readonly live: boolean; readonly columns: number; readonly colour: boolean } {
  const live = process.stderr.isTTY === true && process.env['TERM'] !== 'dumb'
  return { live, columns: process.stderr.columns ?? 80, colour: live && !process.env['NO_COLOR'] }
}

/** A reader that goes away (`dayfly … | head`) ends the program quietly, as it ends every other tool; a full disk ends it with exit code 1, when `tell` has said so. */
export function endWithReader(tell: (error: Error) => void): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    tell(error)
    process.exit(1)
  })
}
