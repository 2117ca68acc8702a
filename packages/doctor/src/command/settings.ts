// The settings of a run: an option replaces the key of the configuration with the same meaning.
import path from 'node:path'
import type { Configuration } from '../configuration/configuration.ts'
import { pathTest, withContents } from '../configuration/path-test.ts'
import { type Judge, judge } from '../configuration/select.ts'
import type { Finding, Severity } from '../finding.ts'
import type { Skipped } from '../read/decode/document.ts'
import { globPattern } from '../read/files/glob.ts'
import type { Read } from '../read/files/read.ts'
import { configurationName, findConfiguration } from './find-configuration.ts'
import { type DoctorOptions, isAtLeast } from './options.ts'
import { stdinName } from './sources.ts'

export type Settings = {
  readonly judge: Judge
  readonly failOn: Severity
  /** The path as the working folder shows it. */
  readonly baseline: string | undefined
  readonly clusters: NonNullable<Configuration['clusters']>
  /** Drops what the configuration excludes from the input, and says so. */
  readonly exclude: (read: Sources) => Sources
}

type Sources = Omit<Read, 'missing'>
type Wishes = Pick<DoctorOptions, 'select' | 'ignore' | 'exclude' | 'failOn' | 'baseline'>

/** Reads the configuration that applies to the paths. Throws if it is wrong. */
export async function settingsOf(paths: readonly string[], options: Wishes, working: string): Promise<Settings> {
  const found = await findConfiguration(paths, working)
  const { configuration = {}, folder = working, file = '' } = found ?? {}
  const nameFrom = (base: string) => (name: string) => {
    if (name === stdinName) return undefined
    return path.relative(base, path.resolve(working, name)).split(path.sep).join('/')
  }
  const { select = configuration.select, ignore = configuration.ignore } = options
  const excluded = options.exclude
    ? { globs: options.exclude, nameOf: nameFrom(working), by: '--exclude' }
    : { globs: configuration.exclude ?? [], nameOf: nameFrom(folder), by: `"exclude" in ${file}` }
  const own = configuration.baseline && path.relative(working, path.resolve(folder, configuration.baseline))
  return {
    judge: judge({ ...configuration, select, ignore }, nameFrom(folder)),
    failOn: options.failOn ?? configuration.failOn ?? 'warning',
    baseline: options.baseline ?? own,
    clusters: (configuration.clusters ?? []).map((cluster) => ({
      ...cluster,
      paths: cluster.paths.flatMap(withContents).flatMap((glob) => seenFrom(glob, folder, working)),
    })),
    exclude: (read) =>
      exclude(read, { ...excluded, working, named: paths, used: path.join(folder, configurationName) }),
  }
}

/** Returns a glob of the configuration as the input may name its files: from the working folder, outside it or in it. */
function seenFrom(glob: string, folder: string, working: string): readonly string[] {
  const slashed = (one: string) => one.split(path.sep).join('/')
  const outside = slashed(path.join(path.relative(working, folder), glob))
  const parts = glob.split('/')
  for (const step of slashed(path.relative(folder, working)).split('/')) {
    if (step === '') continue
    if (step === '..') return [outside]
    if (parts[0] === '**') break
    if (!globPattern(parts.shift() ?? '')?.test(step)) return [outside]
  }
  return [outside, parts.length === 0 ? '**' : parts.join('/')]
}

/** Whether one of the findings is severe enough to fail the run. */
export function isFailure(findings: readonly Finding[], { failOn }: Pick<Settings, 'failOn'>): boolean {
  return findings.some(({ severity }) => isAtLeast(severity, failOn))
}

type Exclusion = {
  readonly globs: readonly string[]
  readonly nameOf: (file: string) => string | undefined
  readonly by: string
  readonly working: string
  /** A named file is read even if a glob excludes it. */
  readonly named: readonly string[]
  /** The configuration that applies, as an absolute path. */
  readonly used: string
}

function exclude(read: Sources, { globs, nameOf, by, working, named, used }: Exclusion): Sources {
  // The name decides about nearly every file, and much faster than its absolute path.
  const isNamedSo = (file: string) => file.endsWith(configurationName)
  const files = read.files.filter(({ path: file }) => !isNamedSo(file) || path.resolve(working, file) !== used)
  const nested = files.filter(({ path: file }) => isNamedSo(file) && path.posix.basename(file) === configurationName)
  const isExcluded = pathTest(globs)
  const given = new Set(named.map((one) => path.resolve(working, one)))
  const isOut = (file: string) => {
    const name = globs.length === 0 ? undefined : nameOf(file)
    return name !== undefined && isExcluded(name.replace(/\/$/, '')) && !given.has(path.resolve(working, file))
  }
  const leftOut = (file: string, reason: string): Skipped => ({ file, line: undefined, reason, intended: true })
  const unused = 'a configuration of a folder below: it applies only to runs in that folder'
  return {
    ...read,
    files: files.filter((file) => !nested.includes(file) && !isOut(file.path)),
    skipped: [
      ...read.skipped.filter(({ file }) => !isOut(file)),
      ...nested.map(({ path: file }) => leftOut(file, unused)),
      ...files
        .filter((file) => !nested.includes(file) && isOut(file.path))
        .map((file) => leftOut(file.path, `excluded by ${by}`)),
    ],
  }
}
