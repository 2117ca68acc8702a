// Makes text from outside (files, clusters, forges) safe to print on a terminal.

const unsafe = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g

/** Returns the text with control characters (C0, C1, DEL) and bidirectional overrides replaced by visible escapes such as `\u001b`. Tabs and line feeds stay. */
export function printable(text: string): string {
  return text.replace(unsafe, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
