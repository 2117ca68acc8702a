// Makes text from files and servers safe to print on a terminal and in the log of a CI job.

/** Controls, and marks that reverse the direction of writing. Newlines are not among them. */
const controls = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g
const replacement = '\ufffd'

/**
 * Replaces every control character, tabs by a space. Newlines stay.
 * The result starts no workflow command of GitHub Actions: `::` at the begin of a line and `##[` anywhere are broken up.
 * Each replacement is as long as the original, so that columns stay.
 */
export function printable(text: string): string {
  return text
    .replace(/\r(?=\n|$)/g, '')
    .replace(/\t/g, ' ')
    .replace(controls, replacement)
    .replace(/##(?=\[)/g, `#${replacement}`)
    .replace(/^(\s*):(?=:)/gm, `$1${replacement}`)
}

/** The same on one line: newlines become spaces. */
export function printableLine(text: string): string {
  return printable(text.replace(/[\r\n]+$/, '').replace(/\r?\n/g, ' '))
}

/** Returns JSON with the same characters written as escapes, so that a program reads the original text. */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent)
    .replace(
      /[\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g,
      (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    .replace(/##(?=\[)/g, '#\\u0023')
}
