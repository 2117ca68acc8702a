// Reads which programs a shell script runs, in what order, and which of them in the background. It is no shell: it expands nothing.
import { type Token, tokensOf } from './shell-tokens.ts'

export type ShellCommand = {
  /** The program and its arguments, without quotes and redirections. */
  readonly words: readonly string[]
  /** The next command does not wait for it. */
  readonly background: boolean
  /** It reads from a pipe or writes to one. */
  readonly piped: boolean
  /** It is the condition of such a loop. */
  readonly loop: 'while' | 'until' | undefined
  /** It is in a `for` over a written list or over numbers. */
  readonly counted: boolean
  /** The script may skip it. It follows `||` or a test, or is in an `if`, a `case`, or the body of a loop or function. */
  readonly conditional: boolean
}

/** The body of a function counts only if a command calls it by name. A trap does not. */
export function readScript(text: string): readonly ShellCommand[] {
  const reading = new Reading()
  for (const token of tokensOf(text)) reading.take(token)
  reading.flush()
  const called = new Set(reading.commands.map(({ words }) => words[0]))
  return reading.commands.filter(({ within }) => within === undefined || called.has(within))
}

type Draft = {
  readonly words: readonly string[]
  background: boolean
  readonly piped: boolean
  readonly loop: ShellCommand['loop']
  readonly counted: boolean
  readonly conditional: boolean
  /** The name of the function that contains it. */
  within: string | undefined
}
type Block = {
  readonly opener: string
  readonly start: number
  readonly list: readonly number[]
  readonly named: string | undefined
  /** The words between `for` and its body. */
  readonly over: string[]
  /** The whole block follows `||` or a test. */
  readonly unsure: boolean
}

const openers: ReadonlySet<string> = new Set(['if', 'while', 'until', 'for', 'select', 'case', '{'])
const closers: ReadonlySet<string> = new Set(['fi', 'done', 'esac', '}'])
const tests = /^(\[|\[\[|test|grep|pgrep|command|which|type)$/
const between: ReadonlySet<string> = new Set(['then', 'do', 'else', 'elif', '!', 'time'])

class Reading {
  readonly commands: Draft[] = []
  private words: string[] = []
  private readonly blocks: Block[] = []
  /** The commands that a `&` would put into the background. */
  private list: readonly number[] = []
  private loop: ShellCommand['loop']
  private piped = false
  /** The next command follows `||` or a test. */
  private unsure = false
  private named: string | undefined
  /** The reader is in the head of a `for` or `case`, which has no commands. */
  private head: 'for' | 'case' | undefined

  take({ is, text }: Token): void {
    if (is === 'sign') this.sign(text)
    else if (this.words.length > 0) this.words.push(text)
    else this.first(text)
  }

  flush(intoPipe = false): void {
    if (this.words.length > 0) {
      this.list = [...this.list, this.commands.length]
      const piped = intoPipe || this.piped
      const { words, loop } = this
      const counted = this.blocks.some(isCounted)
      const conditional = this.unsure || this.isInBranch()
      this.commands.push({ words, background: false, piped, loop, counted, conditional, within: undefined })
      this.loop = undefined
      this.words = []
    }
    this.piped = false
  }

  /** Whether the command is in a branch. The condition of a loop runs whenever the loop does. */
  private isInBranch(): boolean {
    const around = this.loop === undefined ? this.blocks : this.blocks.slice(0, -1)
    return around.some(({ opener, unsure, named }) => unsure || named !== undefined || !/^[{(]$/.test(opener))
  }

  private first(word: string): void {
    if (this.head !== undefined) {
      if (word === (this.head === 'for' ? 'do' : 'in')) this.head = undefined
      else this.blocks.at(-1)?.over.push(word)
    } else if (openers.has(word)) {
      this.open(word)
      if (word === 'while' || word === 'until') this.loop = word
      if (word === 'for' || word === 'select') this.head = 'for'
      if (word === 'case') this.head = 'case'
    } else if (closers.has(word)) this.close()
    else if (!between.has(word)) this.words.push(word)
  }

  private sign(sign: string): void {
    switch (sign) {
      case '()':
        this.named = this.words.at(-1)
        this.words = []
        return
      case '(':
        this.open(sign)
        return
      case ')':
        // Without an opening bracket, it ends a pattern of a `case`.
        if (this.blocks.at(-1)?.opener !== '(') this.words = []
        this.flush()
        if (this.blocks.at(-1)?.opener === '(') this.close()
        return
      case '|':
        this.flush(true)
        this.piped = true
        return
      default:
        this.endOf(sign)
    }
  }

  private endOf(sign: string): void {
    this.flush()
    if (sign === '&&' || sign === '||') {
      this.unsure ||= sign === '||' || tests.test(this.commands.at(-1)?.words[0] ?? '')
      return
    }
    this.unsure = false
    if (sign === '&') {
      for (const index of this.list) {
        const command = this.commands[index]
        if (command) command.background = true
      }
    }
    this.list = []
    if (this.head === 'for') this.head = undefined
  }

  private open(opener: string): void {
    this.blocks.push({
      opener,
      start: this.commands.length,
      list: this.list,
      named: this.named,
      over: [],
      unsure: this.unsure,
    })
    this.list = []
    this.named = undefined
    this.unsure = false
  }

  private close(): void {
    const block = this.blocks.pop()
    if (!block) return
    const inside = this.commands.slice(block.start)
    for (const command of inside) command.within ??= block.named
    this.list = [...block.list, ...inside.map((_, index) => block.start + index)]
    this.unsure = block.unsure
  }
}

/** Matches `for i in 1 2 3`, `for i in $(seq 30)`, `for i in {1..30}`, `for ((i = 0; i < 30; i++))`. */
function isCounted({ opener, over }: Block): boolean {
  const [first = '', , ...entries] = over
  if (opener !== 'for') return false
  if (first.startsWith('((')) return first.includes('<')
  return entries.length > 0 && entries.every((entry) => /^[^$`*?]*$|^(\$\(|`)seq [\d ]+(\)|`)$/.test(entry))
}
