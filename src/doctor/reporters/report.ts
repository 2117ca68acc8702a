// What a reporter writes down: an examination, with the lines and changes that explain it.
import type { Examination } from '../engine.ts'
import type { VersionFact } from '../facts.ts'
import type { Finding } from '../finding.ts'
import type { Preview } from '../fixes/preview-fixes.ts'
import type { Rule } from '../rule.ts'

export type Report = Examination & {
  /** Every rule that was asked, in the order of the catalogue. */
  readonly rules: readonly Rule[]
  readonly version: VersionFact
  /** Dayfly's own version. */
  readonly tool: string
  /** A cluster was examined: what `file` says in the coverage is a kind. */
  readonly live: boolean
  /** Original lines with their ends, by the file of their places. */
  readonly lines: ReadonlyMap<string, readonly string[]>
  readonly previews: ReadonlyMap<Finding, Preview>
  /** The rules' pages by slug; a reporter that shows none gets none. */
  readonly pages: ReadonlyMap<string, string>
  /** Findings that a baseline takes as known. */
  readonly known: readonly Finding[]
  /** Findings below the asked severity or confidence. */
  readonly below: readonly Finding[]
}
