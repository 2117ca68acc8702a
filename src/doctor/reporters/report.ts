// What a reporter writes down: an examination, with the texts and mended texts that explain it.
import type { Examination } from '../engine.ts'
import type { VersionFact } from '../facts.ts'
import type { Finding } from '../finding.ts'
import type { Rule } from '../rule.ts'

/** A finding's fix, tried on the original text: the file after it, or why it would not be made. */
export type Preview = { readonly after: string } | { readonly refused: string }

export type Report = Examination & {
  /** Every rule that was asked, in the order of the catalogue. */
  readonly rules: readonly Rule[]
  readonly version: VersionFact
  /** Dayfly's own version. */
  readonly tool: string
  /** Original texts by the file of their places. */
  readonly texts: ReadonlyMap<string, string>
  readonly previews: ReadonlyMap<Finding, Preview>
  /** The rules' pages by slug; a reporter that shows none gets none. */
  readonly pages: ReadonlyMap<string, string>
  /** Findings that a baseline takes as known. */
  readonly known: readonly Finding[]
  /** Findings below the asked severity or confidence. */
  readonly below: readonly Finding[]
}
