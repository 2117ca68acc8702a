// The limits on one rendering, so that no template keeps the program busy or fills its memory.
import { TemplateRefused } from './refused.ts'

const stepsMax = 100_000
const lettersMax = 256 * 1024
const itemsMax = 10_000

export type Bounds = {
  /** Counts one step of the evaluation. */
  step(line: number): void
  /** Returns the text if it is not too long. */
  text(text: string, line: number): string
  /** Checks the length of a list or text before it is made. */
  size(size: number, line: number): void
}

export function createBounds(): Bounds {
  let steps = 0
  let letters = 0
  return {
    step: (line) => {
      steps += 1
      if (steps > stepsMax) throw new TemplateRefused(`the template needs more than ${stepsMax} steps`, line)
    },
    // All texts together: a loop that makes many long ones is bounded, too.
    text: (text, line) => {
      letters += text.length
      if (letters > 16 * lettersMax || text.length > lettersMax) throw tooLong(line)
      return text
    },
    size: (size, line) => {
      if (size > itemsMax) throw tooLong(line)
    },
  }
}

function tooLong(line: number): TemplateRefused {
  return new TemplateRefused(`the template makes a text or a list that is too long`, line)
}
