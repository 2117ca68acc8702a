// Files → what is found in them, after thresholds and baseline.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type Baseline, compareToBaseline, readBaseline } from '../../doctor/baseline.ts'
import { type Examination, type ExamineOptions, examine } from '../../doctor/engine.ts'
import type { Finding } from '../../doctor/finding.ts'
import { inRepository } from '../../doctor/reporters/whereabouts.ts'
import { catalogue } from '../../doctor/rules/catalogue.ts'
import type { DecodedFile } from '../../doctor/sources/document.ts'
import { CliFailure } from '../failure.ts'
import { type DoctorOptions, isAsked, versionOf } from './options.ts'
import { stdinName } from './sources.ts'
import { whereabouts } from './whereabouts.ts'

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
  return (files: readonly DecodedFile[]): Checked => {
    const examination = examine(files, catalogue, { version: versionOf(options), ...around })
    if (!baseline) return sift(examination, options)
    // It names findings of any severity, so it is compared before the thresholds.
    const { fresh, known, stale } = compareToBaseline(examination.findings, baseline, standing(files))
    return { ...sift({ ...examination, findings: fresh }, options), known, stale }
  }
}

/** What of an examination the person asked for. */
export function sift(examination: Examination, options: DoctorOptions): Checked {
  const { findings } = examination
  return {
    ...examination,
    findings: findings.filter((finding) => isAsked(finding, options)),
    below: findings.filter((finding) => !isAsked(finding, options)),
    known: [],
    stale: 0,
  }
}

/** Names files as the repository does, wherever in it the doctor runs. */
export function nameInRepository(here = whereabouts()): (file: string) => string {
  return (file) => (file === stdinName ? file : inRepository(file, here))
}

function standing(files: readonly DecodedFile[]) {
  const here = whereabouts()
  const nameOf = nameInRepository(here)
  const examined = new Set(files.map(({ file }) => nameOf(file.path)))
  return { nameOf, isSettled: (name: string) => examined.has(name) || !existsSync(path.resolve(here.root, name)) }
}

function loadBaseline(given: string): Baseline {
  try {
    return readBaseline(readFileSync(path.resolve(given), 'utf8'))
  } catch (cause) {
    const absent = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    const said = cause instanceof Error ? cause.message.replace(/^[A-Z]+: /, '') : 'unknown cause'
    const why = cause instanceof SyntaxError ? 'it is not JSON' : said
    throw new CliFailure({
      code: absent ? 'baseline-missing' : 'baseline-unreadable',
      sentence: absent ? `There is no baseline ${given}.` : `The baseline ${given} cannot be used: ${why}.`,
      next: `Write one: dayfly doctor baseline write --file ${given}`,
      cause,
    })
  }
}
