// The look of a report on a terminal: colours and width.

/** `columns`: the width of the terminal; undefined: lines are not broken. */
export type Look = {
  readonly colour: boolean
  readonly columns: number | undefined
  /** Whether the terminal shows links (OSC 8). */
  readonly links: boolean
}

export type Style = 'red' | 'yellow' | 'blue' | 'green' | 'bold' | 'dim'
export type Paint = (style: Style, text: string) => string

export function painter({ colour }: Look): Paint {
  return (style, text) => (colour ? `\x1b[${escapes[style]}m${text}\x1b[0m` : text)
}

/** Returns a text that a terminal shows as a link. The caller makes text from outside printable. */
export function link({ links }: Look, address: string, text: string): string {
  return links ? `\x1b]8;;${address}\x1b\\${text}\x1b]8;;\x1b\\` : text
}

/** Breaks a text between words, and indents every line. */
export function wrap(text: string, indentation: string, columns: number | undefined): string {
  const room = Math.max(40, (columns ?? Number.POSITIVE_INFINITY) - 1) - indentation.length
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line)
      line = word
    } else line = lines.length === 0 && line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].map((one) => indentation + one).join('\n')
}

/** Returns blanks of the width that the text has on a terminal. */
export function blanks(text: string): string {
  return text
    .replace(/\p{M}/gu, '')
    .replace(
      /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff01-\uff60\uffe0-\uffe6]/gu,
      '  ',
    )
    .replace(/./gu, ' ')
}

const escapes: Readonly<Record<Style, string>> = {
  red: '31',
  yellow: '33',
  blue: '34',
  green: '32',
  bold: '1',
  dim: '2',
}
