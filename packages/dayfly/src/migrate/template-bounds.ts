// The limits on one template, so that none keeps the program busy or fills its memory.
import type { Value } from '@huggingface/jinja'

export const lettersMax = 256 * 1024
const stepsMax = 100_000
const itemsMax = 10_000

/** A template that is not rendered. The message is a sentence without its full stop. */
export class TemplateRefused extends Error {
  readonly line: number

  constructor(message: string, line: number) {
    super(message)
    this.name = 'TemplateRefused'
    this.line = line
  }
}

export class TemplateBounds {
  /** The line of the tag that is evaluated now. */
  line = 1
  private steps = 0
  private letters = 0

  refuse(sentence: string): never {
    throw new TemplateRefused(sentence, this.line)
  }

  step(): void {
    this.steps += 1
    if (this.steps > stepsMax) this.refuse(`the template needs more than ${stepsMax} steps`)
  }

  /** Checks the size of a text or a list before it is made. */
  size(letters: number, items = 0): void {
    if (letters > lettersMax || items > itemsMax) this.refuse('the template makes a text or a list that is too long')
  }

  /** Counts a value. All texts together are bounded, too: a loop may make many long ones. */
  count<T extends Value>(value: T): T {
    const { value: inner } = value
    if (typeof inner === 'string') {
      this.letters += inner.length
      this.size(Math.max(inner.length, this.letters / 16))
    } else if (Array.isArray(inner)) {
      this.size(0, inner.length)
      this.steps += Math.floor(inner.length / 16)
    } else if (typeof inner === 'number' && value.type === 'IntegerValue' && !Number.isSafeInteger(inner)) {
      this.refuse('a number is too large')
    }
    return value
  }
}
