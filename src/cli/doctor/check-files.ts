// Files → what is found in them, after thresholds and baseline.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type Baseline, compareToBaseline, readBaseline } from '../../doctor/baseline.ts'
import { type Examination, type ExamineOptions, examine } from '../../doctor/engine.ts'
import type { Finding } from '../../doctor/finding.ts'
import { catalogue } from '../../doctor/rules/catalogue.ts'
import type { DecodedFile } from '../../doctor/sources/document.ts'
import { CliFailure } from '../failure.ts'
import { type DoctorOptions, isAsked, versionOf } from './options.ts'

/** An examination of which `findings` are what the person asked for. */
export type Checked = Examination & {
  readonly known: readonly Finding[]
  readonly below: readonly Finding[]
  /** Entries of the baseline whose finding is gone. */
  readonly stale: number
}

/** Examines files as often as fixes ask. */
export function checker(options: DoctorOptions, around: Pick<ExamineOptions, 'skipped' | 'charts'>) {
  const baseline = options.baseline === undefined ? undefined : loadBaseline(options.baseline)
  return (files: readonly DecodedFile[]): Checked =>
    sift(examine(files, catalogue, { version: versionOf(options), ...around }), options, baseline)
}

/** The baseline names findings of any severity, so it is compared before the thresholds. */
export function sift(examination: Examination, options: DoctorOptions, baseline?: Baseline): Checked {
  const { fresh, known, stale } = baseline
    ? compareToBaseline(examination.findings, baseline)
    : { fresh: examination.findings, known: [], stale: 0 }
  return {
    ...examination,
    findings: fresh.filter((finding) => isAsked(finding, options)),
    below: fresh.filter((finding) => !isAsked(finding, options)),
    known,
    stale,
  }
}

export function loadBaseline(given: string): Baseline {
  try {
    return readBaseline(readFileSync(path.resolve(given), 'utf8'))
  } catch (cause) {
    const absent = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    const why =
      cause instanceof SyntaxError ? 'it is not JSON' : cause instanceof Error ? cause.message : 'unknown cause'
    throw new CliFailure({
      code: absent ? 'baseline-missing' : 'baseline-unreadable',
      sentence: absent ? `There is no baseline ${given}.` : `The baseline ${given} cannot be used: ${why}.`,
      next: `Write one: dayfly doctor baseline write --file ${given}`,
      cause,
    })
  }
}
