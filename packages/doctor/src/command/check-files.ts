// Examines files, and selects findings by thresholds and baseline.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { CliFailure } from '@dayfly/command-line/failure'
import { type Baseline, compareToBaseline, readBaseline } from '../baseline.ts'
import { doctorName } from '../doctor-name.ts'
import { type Examination, type ExamineOptions, examine } from '../engine/examine.ts'
import type { ReadSet } from '../facts.ts'
import type { Finding } from '../finding.ts'
import type { DecodedFile, SourceObject } from '../read/decode/document.ts'
import { inRepository } from '../report/repository-paths.ts'
import { catalogue } from '../rules/catalogue.ts'
import { type DoctorOptions, isRequested, versionOf } from './options.ts'
import { repositoryPaths } from './repository-paths.ts'
import type { Settings } from './settings.ts'
import { stdinName } from './sources.ts'

/** The part of an examination that is beside the selected findings. */
export type Selection = {
  readonly known: readonly Finding[]
  readonly below: readonly Finding[]
  /** The number of findings of rules that the configuration does not want there. */
  readonly unwanted: number
  /** The number of baseline entries whose finding is gone. */
  readonly stale: number
}

/** An examination of files. `findings` are the selected ones. */
export type Checked = Examination & Selection

/** Loads the reader of RunnerSets if the files have one. */
export async function setReader(files: readonly DecodedFile[]): Promise<ReadSet | undefined> {
  const isSet = ({ value }: SourceObject) => value['kind'] === 'RunnerSet'
  if (!files.some(({ objects }) => objects.some(isSet))) return undefined
  return (await import('@dayfly/runner-set/config/runner-set')).parseRunnerSet
}

/** Returns a function that examines files. Fixing calls it after each pass. */
export function checker(
  options: DoctorOptions,
  settings: Settings,
  around: Pick<ExamineOptions, 'skipped' | 'charts' | 'readSet'> & {
    readonly relocate?: (finding: Finding) => Finding
  },
) {
  const baseline = settings.baseline === undefined ? undefined : loadBaseline(settings.baseline)
  return (files: readonly DecodedFile[]): Checked => {
    const examined = examine(files, catalogue, { version: versionOf(options), clusters: settings.clusters, ...around })
    const examination = around.relocate ? { ...examined, findings: examined.findings.map(around.relocate) } : examined
    const suppressed = examination.suppressed.filter(({ finding }) => settings.judge(finding))
    if (!baseline) return { ...select(examination, options, settings), suppressed }
    // A baseline holds findings of any rule and severity, so it is compared before the configuration and the thresholds apply.
    const { fresh, known, stale } = compareToBaseline(examination.findings, baseline, namesFor(files))
    const wanted = known.flatMap((finding) => settings.judge(finding) ?? [])
    return { ...select({ ...examination, findings: fresh }, options, settings), suppressed, known: wanted, stale }
  }
}

/** Selects the findings of the wanted rules that have the requested severity and confidence. */
export function select<Examined extends { readonly findings: readonly Finding[] }>(
  examination: Examined,
  options: DoctorOptions,
  settings: Pick<Settings, 'judge'>,
): Examined & Selection {
  const findings = examination.findings.flatMap((finding) => settings.judge(finding) ?? [])
  return {
    ...examination,
    findings: findings.filter((finding) => isRequested(finding, options)),
    below: findings.filter((finding) => !isRequested(finding, options)),
    unwanted: examination.findings.length - findings.length,
    known: [],
    stale: 0,
  }
}

/** Names files from the root of their repository, so that the working folder does not matter. */
export function nameInRepository(here = repositoryPaths()): (file: string) => string {
  return (file) => (file === stdinName ? file : inRepository(file, here))
}

function namesFor(files: readonly DecodedFile[]) {
  const here = repositoryPaths()
  const nameOf = nameInRepository(here)
  const examined = new Set(files.map(({ file }) => nameOf(file.path)))
  return {
    nameOf,
    isExamined: (name: string) => examined.has(name),
    isGone: (name: string) => !existsSync(path.resolve(here.root, name)),
  }
}

function loadBaseline(given: string): Baseline {
  try {
    return readBaseline(readFileSync(path.resolve(given), 'utf8'))
  } catch (cause) {
    const absent = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    const message = cause instanceof Error ? cause.message.replace(/^[A-Z]+: /, '') : 'unknown cause'
    const why = cause instanceof SyntaxError ? 'it is not JSON' : message
    throw new CliFailure({
      code: absent ? 'baseline-missing' : 'baseline-unreadable',
      sentence: absent ? `There is no baseline ${given}.` : `The baseline ${given} cannot be used: ${why}.`,
      next: `Write one: ${doctorName} baseline write --file ${given}`,
      cause,
    })
  }
}
