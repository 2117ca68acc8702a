// The input of a reporter: an examination of files or of a cluster, with the lines and changes that explain it.
import type { Coverage, Examination } from '../engine/examine.ts'
import type { VersionFact } from '../facts.ts'
import type { Finding } from '../finding.ts'
import type { Preview } from '../fix/preview-fixes.ts'
import type { LiveCoverage } from '../live/examine.ts'
import type { Rule } from '../rule.ts'

export type Report = Shared & Examined

/** `live`: a cluster was examined. */
export type Examined =
  | { readonly live: false; readonly coverage: Coverage }
  | { readonly live: true; readonly coverage: LiveCoverage }

type Shared = Omit<Examination, 'coverage'> & {
  /** Every rule that ran, in the order of the catalogue. */
  readonly rules: readonly Rule[]
  readonly version: VersionFact
  /** The version of Dayfly. */
  readonly tool: string
  /** The original lines with their ends, by file. */
  readonly lines: ReadonlyMap<string, readonly string[]>
  readonly previews: ReadonlyMap<Finding, Preview>
  /** The rules' pages by slug; empty for a reporter that shows none. */
  readonly pages: ReadonlyMap<string, string>
  /** Findings that the baseline holds. */
  readonly known: readonly Finding[]
  /** Findings below the requested severity or confidence. */
  readonly below: readonly Finding[]
  /** The number of findings of rules that the configuration does not want there. */
  readonly unwanted: number
}
