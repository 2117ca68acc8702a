// Cuts a shell script into words and signs. Removes quotes, redirections and comments. Keeps substitutions as written.

export type Token = { readonly is: 'word' | 'sign'; readonly text: string }

/** Returns the words and signs of a script, in their order. */
export function tokensOf(text: string): readonly Token[] {
  const reader = new Reader(text)
  const tokens: Token[] = []
  const heredocs: string[] = []
  let target: 'none' | 'file' | 'heredoc' = 'none'
  while (!reader.isAtEnd()) {
    if (reader.take(blank) !== undefined || reader.take(comment) !== undefined) continue
    const counted = reader.take(arithmetic)
    const redirected = counted === undefined ? reader.take(redirection) : undefined
    if (redirected !== undefined) {
      target = /[\d-]$/.test(redirected) && !/<<-$/.test(redirected) ? 'none' : 'file'
      if (/(^|[^<])<<-?$/.test(redirected)) target = 'heredoc'
      continue
    }
    const sign = counted === undefined ? reader.takeSign() : undefined
    if (sign !== undefined) {
      tokens.push({ is: 'sign', text: sign })
      if (sign === '\n') for (const delimiter of heredocs.splice(0)) reader.skipHeredoc(delimiter)
      target = 'none'
      continue
    }
    const word = counted ?? reader.takeWord()
    if (target === 'heredoc') heredocs.push(word)
    if (target === 'none') tokens.push({ is: 'word', text: word })
    target = 'none'
  }
  return tokens
}

const blank = /(?:[ \t\r]|\\\r?\n)+/y
const comment = /#[^\n]*/y
const redirection = /\d*(?:<<<|<<-?|<>|>>|>\||[<>]&|[<>]|&>>?)(?:(?<=&)(?:\d+-?|-))?/y
const signs = /&&|\|\||\|&|;;&?|;&|\([ \t]*\)|[|&;()\n]/y
const arithmetic = /\(\([^\n]*?\)\)/y
const plain = /[^\s;&|()<>'"\\$`]+/y
const variable = /\$\{[^}\n]*\}?|\$(?![({])/y
const backticks = /`[^`]*`?/y
const quoted = [/'([^']*)'?/y, /"((?:[^"\\]|\\[\s\S])*)"?/y, /\\([\s\S]?)/y]

class Reader {
  private readonly text: string
  private at = 0

  constructor(text: string) {
    this.text = text
  }

  isAtEnd(): boolean {
    return this.at >= this.text.length
  }

  take(pattern: RegExp): string | undefined {
    return this.match(pattern)?.[0]
  }

  takeSign(): string | undefined {
    const sign = this.take(signs)
    if (sign === '|&') return '|'
    return sign?.startsWith('(') && sign.endsWith(')') ? '()' : sign
  }

  /** Takes at least one letter. */
  takeWord(): string {
    const start = this.at
    let word = ''
    for (let before = -1; this.at !== before && !this.isAtEnd(); ) {
      before = this.at
      word +=
        this.takeQuoted() ?? this.take(plain) ?? this.take(variable) ?? this.take(backticks) ?? this.takeSubstitution()
    }
    if (this.at === start) word = this.text[this.at++] ?? ''
    return word
  }

  skipHeredoc(delimiter: string): void {
    while (!this.isAtEnd()) {
      const newline = this.text.indexOf('\n', this.at)
      const end = newline < 0 ? this.text.length : newline
      const isEnd = this.text.slice(this.at, end).trim() === delimiter
      this.at = end + 1
      if (isEnd) return
    }
  }

  private takeQuoted(): string | undefined {
    for (const pattern of quoted) {
      const inside = this.match(pattern)?.[1]
      if (inside !== undefined) return inside
    }
    return undefined
  }

  /** Takes `$( … )`, with the brackets inside it. */
  private takeSubstitution(): string {
    if (!this.text.startsWith('$(', this.at)) return ''
    const start = this.at++
    let open = 0
    do {
      const char = this.text[this.at++]
      if (char === '(') open++
      if (char === ')') open--
    } while (open > 0 && !this.isAtEnd())
    return this.text.slice(start, this.at)
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)
    this.at += found?.[0].length ?? 0
    return found
  }
}
