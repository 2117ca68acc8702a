// Collects the evidence of one incident. The verdicts come from it alone.
import type { Evidence, Part } from './evidence.ts'

export type Verdicts = { readonly reproduced: boolean; readonly cured: boolean }

export interface Notebook {
  readonly evidence: readonly Evidence[]
  write(entry: Evidence): void
}

export function createNotebook(onEvidence: (entry: Evidence) => void): Notebook {
  const evidence: Evidence[] = []
  const write = (entry: Evidence) => {
    evidence.push(entry)
    onEvidence(entry)
  }
  return { evidence, write }
}

/** An incident is reproduced if all that it should show was seen, and each wrong remedy failed. Without evidence, nothing is proved. */
export function verdictsOf(evidence: readonly Evidence[]): Verdicts {
  const all = (...parts: readonly Part[]) => {
    const entries = evidence.filter(({ part }) => parts.includes(part))
    return entries.length > 0 && entries.every(({ holds }) => holds)
  }
  const wrong = evidence.filter(({ part }) => part === 'wrong remedy')
  return { reproduced: all('incident') && wrong.every(({ holds }) => holds), cured: all('remedy') }
}
