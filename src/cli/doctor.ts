// `dayfly doctor`: finds, explains and mends what goes wrong with runners on Kubernetes, in files and in clusters.
import { Command, Option } from 'commander'
import { decodeFiles } from '../doctor/engine.ts'
import { count } from '../doctor/reporters/wording.ts'
import type { DecodedFile } from '../doctor/sources/document.ts'
import { baselineCommand } from './doctor/baseline.ts'
import { type Checked, checker } from './doctor/check-files.ts'
import { explainCommand } from './doctor/explain.ts'
import { fixOption, type GivenOptions, settleFix } from './doctor/fix-option.ts'
import { forgeOptions } from './doctor/forge-access.ts'
import { mend, patchOf, tellFixes, write } from './doctor/mend-files.ts'
import {
  checkTogether,
  confidenceOption,
  type DoctorOptions,
  formats,
  refuseForeign,
  severityOption,
  versionOf,
  versionOption,
} from './doctor/options.ts'
import { rbacCommand } from './doctor/rbac.ts'
import { render } from './doctor/render.ts'
import { repairOptions } from './doctor/repair-options.ts'
import { readNamed } from './doctor/sources.ts'
import { printNote, printResult } from './output.ts'

export function doctorCommand(): Command {
  const command = new Command('doctor')
    .description(
      'Finds what makes CI runners on Kubernetes hang, leak or fail: in manifests, charts, templates, clusters.',
    )
    .argument('[path...]', 'files, folders, quoted globs; - is stdin; the working folder unless given')
    .addOption(new Option('--format <format>', 'how to report').choices(formats).default('pretty'))
    .addOption(fixOption())
    .option('--diff', 'print the fixes as a patch, and write nothing')
    .option('--check', 'write nothing; exit with 1 when there is a fix to make')
    .addOption(versionOption())
    .addOption(severityOption())
    .addOption(confidenceOption())
    .option('--baseline <file>', 'report only what this file does not hold (see "doctor baseline write")')
    .option('--live', 'examine the cluster that the kubeconfig leads to, or that this pod runs in')
    .option(
      '--kubeconfig <file>',
      "of the cluster; $KUBECONFIG, ~/.kube/config or the pod's ServiceAccount unless given",
    )
    .option('--context <name>', 'of the kubeconfig')
    .option('-n, --namespace <name>', 'examine this namespace alone')
    .option('--logs', 'with --live: also read the ends of the logs of runners that may wait in vain')
    .option('--confirm <digest>', 'with --live --fix: do exactly the plan of this digest')
  for (const option of [...forgeOptions(), ...repairOptions()]) command.addOption(option)
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
  dayfly doctor                                 the working folder
  dayfly doctor --diff charts/ | git apply      review and take the safe fixes
  helm template my-chart | dayfly doctor -      what a chart renders
  dayfly doctor --live -n ci                    a namespace of a cluster
  GITHUB_TOKEN=… dayfly doctor --live --github-url https://github.com/acme
                                                a cluster, and the runners that GitHub has of it
  dayfly doctor explain POD101                  why a rule matters, and when not

Exit codes: 0 clean, 1 findings, 2 wrong usage, 3 nothing to analyse, 4 a part could not be analysed, 5 a fix was refused.
With --format sarif findings exit with 0.`

async function run(paths: readonly string[], options: DoctorOptions): Promise<void> {
  checkTogether(options, paths)
  if (options.live) {
    const { examineCluster } = await import('./doctor/cluster.ts')
    process.exitCode = await examineCluster(options)
    return
  }
  const { files, ...around } = await readNamed(paths, process.cwd())
  const check = checker(options, around)
  const decoded = decodeFiles(files)
  process.exitCode = isMending(options) ? await mendAll(decoded, check, options) : report(decoded, check, options)
}

type Check = (files: readonly DecodedFile[]) => Checked

function isMending({ fix, diff, check }: DoctorOptions): boolean {
  return Boolean(fix || diff || check)
}

function report(files: readonly DecodedFile[], check: Check, options: DoctorOptions): number {
  const checked = check(files)
  printResult(render(options.format, { checked, files, version: versionOf(options) }))
  if (options.format !== 'pretty') tellNothing(checked)
  tellStale(checked)
  return exitCodeOf(checked, options)
}

/** Mends, then reports what is left. */
async function mendAll(files: readonly DecodedFile[], check: Check, options: DoctorOptions): Promise<number> {
  const result = mend(files, (now) => check(now).findings, options)
  const checked = check(result.files)
  if (options.diff) printResult(patchOf(result))
  else if (!options.check) await write(result)
  const made = !options.diff && !options.check
  const judged = checked.findings.filter(({ fix }) => fix?.safety === 'unsafe').length
  tellFixes(result, made ? 'made' : 'found', options.fix === 'unsafe' ? 0 : judged)
  if (isNothing(checked)) {
    tellNothing(checked)
    return exitCodeOf(checked, options)
  }
  if (options.check) return result.changed.length > 0 ? 1 : result.refused.length > 0 ? 5 : 0
  if (made) printResult(render(options.format, { checked, files: result.files, version: versionOf(options) }))
  if (result.refused.length > 0) return 5
  return made ? exitCodeOf(checked, options) : 0
}

function exitCodeOf(checked: Checked, { format }: DoctorOptions): number {
  if (isNothing(checked)) return 3
  if (checked.findings.length > 0 && format !== 'sarif') return 1
  return checked.coverage.skipped.length > 0 ? 4 : 0
}

function isNothing({ findings, coverage }: Checked): boolean {
  return coverage.objects === 0 && findings.length === 0
}

function tellNothing(checked: Checked): void {
  if (isNothing(checked)) printNote('nothing was analysed: no Kubernetes object was found')
}

function tellStale({ stale }: Checked): void {
  if (stale > 0) printNote(`the baseline holds ${count(stale, 'finding')} that no longer exist: write it anew`)
}
