// How a report looks on a terminal: colours, width, and nothing of a file's that the terminal would obey.

/** `columns`: of the terminal; undefined: as long as lines are. */
export type Look = { readonly colour: boolean; readonly columns: number | undefined }

export type Style = 'red' | 'yellow' | 'blue' | 'green' | 'bold' | 'dim'
export type Paint = (style: Style, text: string) => string

export function painter({ colour }: Look): Paint {
  return (style, text) => (colour ? `\x1b[${escapes[style]}m${text}\x1b[0m` : text)
}

/** Text of files may hold escape sequences, which must not reach a terminal; a tab becomes one space so that carets stay below their place. */
export function clean(text: string): string {
  return text
    .replace(/\r$/, '')
    .replace(/\t/g, ' ')
    .replace(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, '\ufffd')
}

/** Every line with the indentation, broken between words. */
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

/** Blanks as wide as the text stands on a terminal. */
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
