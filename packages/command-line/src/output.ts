// Writes to the terminal: results to stdout, progress, warnings and errors to stderr. No other production file does so.
import { printable, printableJson } from '@dayfly/kit/printable'

/** Prints a line of the command's result, without control characters from files, clusters or forges. */
export function printLine(text: string): void {
  process.stdout.write(`${printable(text)}\n`)
}

/** Prints the command's result unchanged. The caller makes text from outside printable. */
export function printResult(text: string): void {
  process.stdout.write(text)
}

/** Prints the command's result as one line of JSON. */
export function printJson(value: unknown): void {
  process.stdout.write(`${printableJson(value)}\n`)
}

/** Returns whether the result goes to a terminal that shows colours. */
export function resultHasColour(): boolean {
  return process.stdout.isTTY === true && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb'
}

/** Returns whether the result goes to a terminal that is known to show links (OSC 8). FORCE_HYPERLINK=1 and =0 decide for any terminal. */
export function resultHasLinks(): boolean {
  const { env } = process
  if (process.stdout.isTTY !== true || env['TERM'] === 'dumb') return false
  if (env['FORCE_HYPERLINK'] !== undefined) return env['FORCE_HYPERLINK'] !== '0'
  if (env['CI']) return false
  const programs = ['iTerm.app', 'WezTerm', 'vscode', 'ghostty', 'Hyper', 'zed', 'rio']
  return (
    programs.includes(env['TERM_PROGRAM'] ?? '') ||
    /^(?:xterm-kitty|alacritty|foot|xterm-ghostty)/.test(env['TERM'] ?? '') ||
    Number(env['VTE_VERSION'] ?? 0) >= 5000 ||
    Boolean(env['WT_SESSION'] || env['KONSOLE_VERSION'] || env['DOMTERM'])
  )
}

/** Returns the number of columns of the result's terminal. Returns undefined if the result goes elsewhere. */
export function resultColumns(): number | undefined {
  return process.stdout.isTTY === true ? process.stdout.columns : undefined
}

/** Returns the width for text: the terminal's, or a readable one where the result goes elsewhere. */
export function columnsOf(): number {
  return Math.max(40, resultColumns() ?? 120)
}

/** Returns whether the result goes to a terminal that can be redrawn. */
export function isTerminal(): boolean {
  return process.stdout.isTTY === true && process.env['TERM'] !== 'dumb'
}

/** Prints progress, a warning or an error to stderr, without control characters from files, clusters or forges. */
export function printNote(text: string): void {
  process.stderr.write(`${printable(text)}\n`)
}

/** Prints text with terminal sequences to stderr. The caller makes text from outside printable. */
export function printRaw(text: string): void {
  process.stderr.write(text)
}

/** Returns whether stderr is a terminal that can be redrawn, its number of columns, and whether it shows colours. */
export function screen(): { readonly live: boolean; readonly columns: number; readonly colour: boolean } {
  const live = process.stderr.isTTY === true && process.env['TERM'] !== 'dumb'
  return { live, columns: process.stderr.columns ?? 80, colour: live && !process.env['NO_COLOR'] }
}

/**
 * Ends the program if stdout fails. A reader that closes the pipe (`dayfly … | head`) ends it quietly, like other tools. Another error, for
 * example a full disk, is reported first and ends it with exit code 1.
 */
export function exitOnOutputError(report: (error: Error) => void): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    report(error)
    process.exit(1)
  })
}

/** Keeps the program running when stdout fails. Later output is lost. */
export function surviveOutputErrors(): void {
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error').on('error', () => {})
}
