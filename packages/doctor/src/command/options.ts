// The doctor's options, and the combinations that it refuses.
import path from 'node:path'
import { CliFailure } from '@dayfly/command-line/failure'
import { anyAccountFlag } from '@dayfly/forges/open/account-flags'
import type { ForgeChoice } from '@dayfly/forges/open/account-options'
import { checkForgeChoice, namesForge } from '@dayfly/forges/open/forge-access'
import { type Command, Option } from 'commander'
import { rulesByName } from '../configuration/select.ts'
import { doctorName } from '../doctor-name.ts'
import type { VersionFact } from '../facts.ts'
import { type Confidence, type Finding, type Severity, severities } from '../finding.ts'
import { catalogue } from '../rules/catalogue.ts'
import { oldestMinor, supportedMinors, undeclaredVersion } from '../version-fact.ts'
import { suggestion } from './find-configuration.ts'
import { isLimited, type RepairLimits } from './repair-options.ts'

export const formats = ['pretty', 'json', 'sarif', 'github', 'junit'] as const
export type Format = (typeof formats)[number]

/** `fix`: the fixes to make; true means the safe ones. */
export type DoctorOptions = RepairLimits &
  ForgeChoice & {
    readonly live?: true
    readonly logs?: true
    readonly kubeconfig?: string
    readonly context?: string
    readonly namespace?: string
    readonly fix?: true | 'safe' | 'unsafe'
    readonly diff?: true
    readonly check?: true
    readonly confirm?: string
    readonly format: Format
    readonly kubernetesVersion?: VersionFact
    /** Bytes. */
    readonly maxFileSize: number
    readonly minSeverity: Severity
    readonly minConfidence: Confidence
    readonly baseline?: string
    readonly select?: readonly string[]
    readonly ignore?: readonly string[]
    readonly exclude?: readonly string[]
    readonly failOn?: Severity
    readonly full?: true
    readonly helm?: string
    readonly values?: readonly string[]
    readonly kustomize?: string
  }

const confidences = ['high', 'medium', 'low'] as const satisfies readonly Confidence[]

export function severityOption(): Option {
  return new Option('--min-severity <severity>', 'show findings of at least this severity')
    .choices(severities)
    .default('info')
}

export function confidenceOption(): Option {
  return new Option('--min-confidence <confidence>', 'show findings of at least this confidence')
    .choices(confidences)
    .default('medium')
}

export function versionOption(): Option {
  return new Option(
    '--kubernetes-version <version>',
    'the version of the cluster that the files are for, such as 1.33; default: every supported version',
  ).argParser(parseVersion)
}

/** `--select`, `--ignore`, `--exclude` and `--fail-on`: the same as the keys of a configuration, which they replace. */
export function configurationOptions(): readonly Option[] {
  return [
    new Option('--select <rules>', 'report only these rules: codes, slugs or families, such as POD,JOB201').argParser(
      addRules,
    ),
    new Option('--ignore <rules>', 'never report these rules').argParser(addRules),
    new Option('--exclude <glob>', 'do not read these files and folders; give it once for each glob').argParser(
      (glob: string, before: readonly string[] = []) => [...before, glob],
    ),
    new Option(
      '--fail-on <severity>',
      'exit with 1 only if a finding has at least this severity; default: warning',
    ).choices(severities),
  ]
}

function addRules(text: string, before: readonly string[] = []): readonly string[] {
  const known = rulesByName(catalogue)
  const typed = text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]))
  const rules = typed.map((name) => {
    const rule = known.find((one) => one.toLowerCase() === name.toLowerCase())
    if (rule !== undefined) return rule
    throw new CliFailure({
      code: 'unknown-rule',
      sentence: `There is no rule or family "${name.slice(0, 80)}".`,
      next: suggestion({ typed: name, choices: known }),
    })
  })
  return [...before, ...rules]
}

/** The options that render with the operator's own programs. */
export function renderOptions(): readonly Option[] {
  return [
    new Option('--helm <chart>', 'examine what your own helm renders of this chart'),
    new Option('-f, --values <file>', 'with --helm: a file of values; give it once for each file').argParser(
      (file: string, before: readonly string[] = []) => [...before, file],
    ),
    new Option('--kustomize <folder>', 'examine what your own kustomize (or kubectl) renders of this folder'),
  ]
}

function checkRendered(
  { helm, values, kustomize, live, fix, diff, check, baseline }: DoctorOptions,
  paths: readonly string[],
): void {
  if (values !== undefined && helm === undefined) throw usage('-f is for the values of a chart.', 'Add --helm CHART.')
  if (helm === undefined && kustomize === undefined) return
  if (live || paths.length > 0 || (helm !== undefined && kustomize !== undefined)) {
    throw usage('--helm and --kustomize each name the whole input.', 'Leave out the paths, --live, or one of them.')
  }
  if (fix || diff || check || baseline !== undefined) {
    throw usage(
      'Rendered text has no fix and no baseline.',
      'Leave out --fix, --diff, --check and --baseline, or name the sources as paths.',
    )
  }
}

export function isAtLeast(severity: Severity, least: Severity): boolean {
  return severities.indexOf(severity) <= severities.indexOf(least)
}

/** Whether the finding reaches both thresholds. */
export function isRequested({ severity, confidence }: Finding, options: Thresholds): boolean {
  return (
    isAtLeast(severity, options.minSeverity) &&
    confidences.indexOf(confidence) <= confidences.indexOf(options.minConfidence)
  )
}

type Thresholds = Pick<DoctorOptions, 'minSeverity' | 'minConfidence'>

export function versionOf({ kubernetesVersion }: Pick<DoctorOptions, 'kubernetesVersion'>): VersionFact {
  return kubernetesVersion ?? undeclaredVersion
}

/** Refuses an option of the doctor before one of its commands, which would ignore it. */
export function refuseForeign(doctor: Command, command: Command): void {
  const own = new Set([command, ...command.commands].flatMap(({ options }) => options.map(({ long }) => long)))
  const foreign = doctor.options.find(
    (option) => doctor.getOptionValueSource(option.attributeName()) === 'cli' && !own.has(option.long),
  )
  if (!foreign) return
  throw usage(
    `"${doctorName} ${command.name()}" does not take ${foreign.long}.`,
    `Leave it out; "${doctorName} help ${command.name()}" shows what it takes.`,
  )
}

export function checkTogether(options: DoctorOptions, paths: readonly string[]): void {
  const { live, fix, diff, check, format, baseline } = options
  if (live && paths.length > 0) throw usage('--live examines a cluster, and takes no paths.', 'Leave one of them out.')
  if (live && (diff || check))
    throw usage('--diff and --check are for files.', 'Leave them out: --live shows its plan.')
  if (live && baseline !== undefined)
    throw usage('--baseline is for files.', 'Leave it out: for a cluster, use --min-severity and --min-confidence.')
  if (live && options.exclude !== undefined)
    throw usage('--exclude is for files.', 'Leave it out: -n examines one namespace alone.')
  if (!live && (options.kubeconfig ?? options.context ?? options.namespace) !== undefined) {
    throw usage('--kubeconfig, --context and -n are for a cluster.', 'Add --live, or leave them out.')
  }
  checkRendered(options, paths)
  checkForge(options)
  if (options.confirm !== undefined && !(live && fix)) {
    throw usage('--confirm takes the digest of a plan of --live --fix.', 'Run --live --fix first, and read its plan.')
  }
  if (isLimited(options) && !(live && fix)) {
    throw usage(
      '--max-…, --remove-finalizers and --end-idle-runners are for a repair of a cluster.',
      'Add --live --fix, or leave them out.',
    )
  }
  if (options.endIdleRunners && !options.removeFinalizers) {
    throw usage('--end-idle-runners belongs to --remove-finalizers.', 'Add --remove-finalizers, or leave it out.')
  }
  if (fix && !diff && !check && paths.includes('-')) {
    throw usage('Input from stdin cannot be fixed in place.', 'Add --diff, which prints a patch.')
  }
  if (diff && format !== 'pretty')
    throw usage('--diff prints a patch, which has no --format.', 'Leave one of them out.')
  const outside = diff && paths.find((given) => isOutside(given))
  if (outside) {
    throw usage(
      `--diff names files from the working folder, and "${outside}" is not in it.`,
      'Run it in the folder that the patch is for.',
    )
  }
}

function checkForge(options: DoctorOptions): void {
  if (!options.live && options.logs) throw usage('--logs is for a cluster.', 'Add --live, or leave it out.')
  if (!options.live && namesForge(options)) {
    throw usage(`${anyAccountFlag} also reads the runners of a cluster.`, 'Add --live, or leave it out.')
  }
  checkForgeChoice(options)
}

function isOutside(given: string): boolean {
  const relative = path.relative(process.cwd(), path.resolve(given))
  return relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative)
}

function usage(sentence: string, next: string): CliFailure {
  return new CliFailure({ code: 'usage', sentence, next })
}

function parseVersion(text: string): VersionFact {
  const minor = Number(/^v?1\.(\d{1,3})(?:[.+-].*)?$/.exec(text)?.[1])
  const first = oldestMinor
  const last = supportedMinors.at(-1) ?? first
  if (minor >= first && minor <= last) return { minors: [minor], declared: true, from: '--kubernetes-version' }
  const end = minor < first ? `1.${first}, the oldest` : `1.${last}, the newest`
  throw usage(
    `--kubernetes-version must be between 1.${first} and 1.${last}, not "${text.slice(0, 40)}".`,
    Number.isNaN(minor) ? 'Give the minor version of the cluster, such as 1.33.' : `Give ${end} that the doctor knows.`,
  )
}
