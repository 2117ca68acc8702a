// `dayfly doctor`: finds and explains the defects that make CI runners on Kubernetes hang, leak or fail. Fixes files, repairs clusters.
import { Interrupted } from '@dayfly/command-line/interruption'
import { printNote, printResult } from '@dayfly/command-line/output'
import { forgeOptions } from '@dayfly/forges/open/forge-access'
import { Command, Option } from 'commander'
import { doctorName } from '../doctor-name.ts'
import { decodeFiles } from '../engine/examine.ts'
import type { DecodedFile, SourceFile } from '../read/decode/document.ts'
import { count } from '../report/wording.ts'
import { baselineCommand } from './baseline.ts'
import { type Checked, checker, setReader } from './check-files.ts'
import { explainCommand } from './explain.ts'
import { makeFixes, patchOf, reportFixes, writeFixes } from './fix-files.ts'
import { fixOption, type GivenOptions, settleFix } from './fix-option.ts'
import { maxFileSizeOption } from './max-file-size.ts'
import {
  checkTogether,
  confidenceOption,
  configurationOptions,
  type DoctorOptions,
  formats,
  refuseForeign,
  renderOptions,
  severityOption,
  versionOf,
  versionOption,
} from './options.ts'
import { rbacCommand } from './rbac.ts'
import { render } from './render.ts'
import { repairOptions } from './repair-options.ts'
import { isFailure, type Settings, settingsOf } from './settings.ts'
import { readNamed } from './sources.ts'

export function doctorCommand(): Command {
  const command = new Command('doctor')
    .description(
      'Finds what makes CI runners on Kubernetes hang, leak or fail: in manifests, charts, templates, clusters.',
    )
    .argument('[path...]', 'files, folders, quoted globs; - is stdin; default: the working folder')
    .addOption(new Option('--format <format>', 'the format of the report').choices(formats).default('pretty'))
    .addOption(fixOption())
    .option('--diff', 'print the fixes as a patch; write nothing')
    .option('--check', 'write nothing; exit with 1 if there is a fix to make')
    .addOption(versionOption())
    .addOption(maxFileSizeOption())
    .addOption(severityOption())
    .addOption(confidenceOption())
    .option('--full', 'show every finding completely, also if there are many')
    .option('--baseline <file>', 'report only findings that are not in this file (see "doctor baseline write")')
    .option('--live', 'examine the cluster of the kubeconfig, or the one that this pod runs in')
    .option(
      '--kubeconfig <file>',
      "the cluster's kubeconfig; default: $KUBECONFIG, ~/.kube/config or the pod's ServiceAccount",
    )
    .option('--context <name>', 'the context of the kubeconfig')
    .option('-n, --namespace <name>', 'examine this namespace only')
    .option('--logs', 'with --live: also read the last log lines of runners that may never get a job')
    .option('--confirm <digest>', 'with --live --fix: carry out exactly the plan with this digest')
  for (const option of [
    ...configurationOptions(),
    ...renderOptions(),
    ...forgeOptions('with --live: also list '),
    ...repairOptions(),
  ])
    command.addOption(option)
  return command
    .addHelpText('after', help)
    .helpCommand('help [command]', 'shows the options of a command, with examples')
    .enablePositionalOptions()
    .hook('preSubcommand', refuseForeign)
    .action((given: string[], options: GivenOptions) => {
      const { paths, options: settled } = settleFix(given, options)
      return run(paths, settled)
    })
    .addCommand(explainCommand())
    .addCommand(baselineCommand())
    .addCommand(rbacCommand())
}

const help = `
Examples:
  ${doctorName}                                 the working folder
  ${doctorName} --diff charts/ | git apply      review and apply the safe fixes
  ${doctorName} --helm my-chart -f ci.yaml      a chart, as your own helm renders it
  ${doctorName} --live -n ci                    a namespace of a cluster
  GITHUB_TOKEN=… ${doctorName} --live --github-url https://github.com/acme
                                                a cluster, and its runners at GitHub
  ${doctorName} --live --bitbucket-workspace acme
                                                a cluster, and its runners at Bitbucket
  GITEA_TOKEN=… ${doctorName} --live --gitea-url https://gitea.example.com/acme
                                                a cluster, and its runners at Gitea or Forgejo
  ${doctorName} explain POD101                  why a rule matters, and when not

Exit codes: 0 clean, 1 findings, 2 wrong usage, 3 nothing to analyse, 4 a part could not be analysed, 5 a fix was refused.
With --format sarif findings exit with 0.`

async function run(paths: readonly string[], options: DoctorOptions): Promise<void> {
  checkTogether(options, paths)
  if (options.live) {
    const { examineCluster } = await import('./cluster.ts')
    process.exitCode = await examineCluster(options)
    return
  }
  if (options.helm !== undefined || options.kustomize !== undefined) {
    process.exitCode = await reportRendered(options)
    return
  }
  const settings = await settingsOf(paths, options, process.cwd())
  const { files, ...around } = settings.exclude(await readNamed(paths, process.cwd(), options.maxFileSize))
  const decoded = decodeFiles(files)
  const readSet = await setReader(decoded)
  const run = { options, settings, check: checker(options, settings, { readSet, ...around }) }
  process.exitCode = isFixing(options) ? await fixAll(decoded, run) : report(decoded, run)
}

async function reportRendered(options: DoctorOptions): Promise<number> {
  const { helm, kustomize = '.' } = options
  const settings = { ...(await settingsOf([helm ?? kustomize], options, process.cwd())), baseline: undefined }
  const { renderHelm, renderKustomize } = await import('./rendered.ts')
  const rendered = await (helm === undefined ? renderKustomize(kustomize) : renderHelm(helm, options)).catch(
    (error: unknown) => {
      if (error instanceof Interrupted) return error
      throw error
    },
  )
  if (rendered instanceof Interrupted) return rendered.exitCode
  const { files, sources, relocate } = rendered
  const readSet = await setReader(files)
  return report(files, { options, settings, check: checker(options, settings, { readSet, relocate }) }, sources)
}

type Run = {
  readonly options: DoctorOptions
  readonly settings: Settings
  readonly check: (files: readonly DecodedFile[]) => Checked
}

function isFixing({ fix, diff, check }: DoctorOptions): boolean {
  return Boolean(fix || diff || check)
}

function report(
  files: readonly DecodedFile[],
  { options, settings, check }: Run,
  sources: readonly SourceFile[] = [],
): number {
  const checked = check(files)
  printResult(render(options, { live: false, checked, files, sources, version: versionOf(options) }))
  if (options.format !== 'pretty') noteNothing(checked)
  noteStale(checked)
  return exitCodeOf(checked, options, settings)
}

/** Makes the fixes, then reports the remaining findings. */
async function fixAll(files: readonly DecodedFile[], { options, settings, check }: Run): Promise<number> {
  const result = makeFixes(files, (now) => check(now).findings, options)
  const checked = check(result.files)
  if (options.diff) printResult(patchOf(result))
  else if (!options.check) await writeFixes(result)
  const made = !options.diff && !options.check
  const judged = checked.findings.filter(({ fix }) => fix?.safety === 'unsafe')
  reportFixes(result, made ? 'made' : 'found', options.fix === 'unsafe' ? [] : judged)
  if (isNothing(checked)) {
    noteNothing(checked)
    return exitCodeOf(checked, options, settings)
  }
  if (options.check) return result.changed.length > 0 ? 1 : result.refused.length > 0 ? 5 : 0
  if (made)
    printResult(
      render(options, { live: false, checked, files: result.files, sources: [], version: versionOf(options) }),
    )
  if (result.refused.length > 0) return 5
  return made ? exitCodeOf(checked, options, settings) : 0
}

function exitCodeOf(checked: Checked, { format }: DoctorOptions, settings: Settings): number {
  if (isNothing(checked)) return 3
  if (isFailure(checked.findings, settings) && format !== 'sarif') return 1
  return checked.coverage.skipped.length > 0 ? 4 : 0
}

function isNothing({ findings, coverage }: Checked): boolean {
  return coverage.objects === 0 && findings.length === 0
}

function noteNothing(checked: Checked): void {
  if (isNothing(checked)) printNote('nothing was analysed: no Kubernetes object was found')
}

function noteStale({ stale }: Checked): void {
  if (stale > 0) printNote(`the baseline holds ${count(stale, 'finding')} that no longer exist: write it again`)
}
