/** Returns the text as one word for a shell. */
export function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) && !text.startsWith('-') ? text : `'${text.replace(/'/g, `'\\''`)}'`
}
