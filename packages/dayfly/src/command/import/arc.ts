// `dayfly import arc`: RunnerSets from ARC's own configuration, with a report that names each value of it.
import { CliFailure } from '@dayfly/command-line/failure'
import { printJson, printLine, printNote, printResult, resultColumns } from '@dayfly/command-line/output'
import { programName } from '@dayfly/command-line/program-name'
import { readSources } from '@dayfly/doctor/read/files/read'
import { defaultSpec } from '@dayfly/runner-set/core/default-spec'
import { forgeTraits } from '@dayfly/runner-set/model/forge-traits'
import { Command, Option } from 'commander'
import { type ImportRequest, type ImportResult, importArc } from '../../migrate/arc/import.ts'
import { chartValues, type OutputDocument, runnerSetDocuments, twins } from '../../migrate/arc/output.ts'
import { readArcObjects, readHelmRelease } from '../../migrate/arc/read/cluster.ts'
import type { HelmRelease } from '../../migrate/arc/read/helm-secret.ts'
import { writeYaml } from '../../migrate/write-yaml.ts'
import { onCluster } from './open-cluster.ts'
import { importJson, reportLines } from './show-arc.ts'
import { writeFiles } from './write-files.ts'

type Options = {
  readonly values?: readonly string[]
  readonly helmRelease?: string
  readonly live?: true
  readonly namespace?: string
  readonly name?: string
  readonly kubeconfig?: string
  readonly context?: string
  readonly as: 'runner-sets' | 'values'
  readonly out?: string
  readonly json?: true
}

export function arcCommand(): Command {
  return new Command('arc')
    .description('Makes RunnerSets of the runners of Actions Runner Controller (ARC). Changes no cluster.')
    .argument('[paths...]', 'files and folders: values, Argo CD, Flux, helmfile, Terraform, or objects of ARC')
    .option('--values <file>', 'a values file of one release; repeat it in the order that helm has', collect)
    .option('--helm-release <name>', 'an installed release, by the Secret that helm stores; with -n')
    .option('--live', 'the AutoscalingRunnerSets, RunnerDeployments and RunnerSets of ARC in the cluster')
    .option('-n, --namespace <name>', 'the namespace in the cluster, and of sets whose input does not say it')
    .option('--name <name>', 'the name of a release whose input does not say it: what runs-on says')
    .option(
      '--kubeconfig <file>',
      'the kubeconfig; default: $KUBECONFIG, ~/.kube/config or the ServiceAccount of the pod',
    )
    .option('--context <name>', 'the context of the kubeconfig')
    .addOption(
      new Option('--as <form>', 'runner-sets: one document for each set. values: for the chart dayfly-runner-set')
        .choices(['runner-sets', 'values'])
        .default('runner-sets'),
    )
    .option('--out <folder>', 'write the documents to files of this folder, and the report to report.txt')
    .option('--json', 'print the RunnerSets and the report as JSON')
    .addHelpText('after', examples(programName()))
    .action((paths: readonly string[], options: Options) => run(paths, options))
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

function examples(dayfly: string): string {
  return `
Examples:
  ${dayfly} import arc clusters/production --out sets
                                        everything that Flux, Argo CD or Terraform delivers from this folder
  ${dayfly} import arc --values base.yaml --values linux.yaml --name linux -n arc-runners > linux-set.yaml
                                        the values of one release; the report is on stderr
  ${dayfly} import arc --helm-release linux -n arc-runners --out sets
                                        an installed release, with the values that its Secret holds
  ${dayfly} import arc --live --out sets   the sets in the cluster, as ARC's controller has them
  ${dayfly} import arc values.yaml --as values > my-sets.yaml
                                        values for the chart dayfly-runner-set

The report names each value: kept, changed or dropped, with the reason, or decide, which is left to you.
A credential in the input is never written: the set refers to a Secret, and the report has the command that creates it.
Exit codes: 0 written, 1 the output cannot be written or the cluster cannot be read, 2 wrong usage or no runners found.`
}

async function run(paths: readonly string[], options: Options): Promise<void> {
  checkUsage(paths, options)
  const input = options.live || options.helmRelease !== undefined ? await fromCluster(options) : noCluster
  const named = readNamed(paths)
  const { name, namespace } = options
  const result = importArc({
    files: [...named.files, ...input.files],
    valuesFiles: readNamed(options.values ?? []).files,
    helmReleases: input.helmReleases,
    name,
    namespace,
    defaultSpec: defaultSpec({ forge: 'github', docker: 'sidecar' }, ''),
    credentialFile: credentialFile(),
  })
  const complete = { ...result, unread: [...named.unread, ...result.unread] }
  if (complete.problems.length > 0 || complete.sets.length === 0) throw nothingFound(complete)
  show(complete, options)
}

function credentialFile(): string {
  const { credential } = forgeTraits.github.runner
  return credential.is === 'file' ? `${credential.folder}/credential` : ''
}

function checkUsage(paths: readonly string[], { values, helmRelease, live, namespace }: Options): void {
  const next = 'Run the command with --help to see examples.'
  if (paths.length === 0 && values === undefined && helmRelease === undefined && !live) {
    const sentence = 'Nothing to import: name files, or use --values, --helm-release or --live.'
    throw new CliFailure({ code: 'usage', sentence, next })
  }
  if (helmRelease !== undefined && namespace === undefined) {
    throw new CliFailure({
      code: 'usage',
      sentence: '--helm-release needs the namespace of the release.',
      next: 'Add -n NAMESPACE.',
    })
  }
}

type ClusterInput = Pick<ImportRequest, 'files' | 'helmReleases'>

const noCluster: ClusterInput = { files: [], helmReleases: [] }

function fromCluster(options: Options): Promise<ClusterInput> {
  const { helmRelease, live, namespace } = options
  return onCluster(options, async ({ kubernetes, home }) => {
    const files = live ? await readArcObjects(kubernetes, namespace) : []
    if (helmRelease === undefined) return { files, helmReleases: [] }
    return { files, helmReleases: [named(await readHelmRelease(kubernetes, namespace ?? home, helmRelease))] }
  })
}

function named(release: HelmRelease | string): HelmRelease {
  if (typeof release !== 'string') return release
  throw new CliFailure({ code: 'release-unreadable', sentence: release, next: 'List the releases with helm list -A.' })
}

function readNamed(paths: readonly string[]) {
  const read = readSources(paths, process.cwd())
  const [missing] = read.missing
  if (missing !== undefined) {
    const next = 'Name a file, a folder or a quoted glob.'
    throw new CliFailure({ code: 'path-missing', sentence: `No file or folder matches "${missing}".`, next })
  }
  const unread = read.skipped
    .filter(({ intended }) => !intended)
    .map(({ file, reason }) => ({ file, sentence: `It is not read: ${reason}.` }))
  return { files: read.files, unread }
}

/** A release without values, or a file with a problem, is named with what to do. */
function nothingFound({ problems, lines, unread }: ImportResult): CliFailure {
  const next = "Name files with ARC's runners, or the values of the release with --values."
  const details = [
    ...problems.map(({ file, sentence }) => ({ at: file, code: 'set-invalid', sentence, next: 'Correct the input.' })),
    ...lines.map(({ file, path, sentence }) => ({
      at: file,
      code: 'values-missing',
      sentence: `${path}: ${sentence}`,
      next,
    })),
    ...unread.map(({ file, sentence }) => ({ at: file, code: 'file-unreadable', sentence, next })),
  ].slice(0, 20)
  const [first = { code: 'no-runners', sentence: 'The input has no runners of ARC.', next }, ...others] = details
  return new CliFailure({ ...first, others })
}

function show(result: ImportResult, options: Options): void {
  const documents = options.as === 'values' ? chartValues(result.sets) : runnerSetDocuments(result.sets)
  if (options.as === 'values') refuseTwins(result)
  const shown = { folder: options.out, form: options.as, documents }
  if (options.out !== undefined) writeFiles(options.out, filesOf(documents, reportLines(result, shown, 120)))
  if (options.json) {
    printJson(importJson(result, shown))
    return
  }
  const report = reportLines(result, shown, resultColumns() ?? 120)
  if (options.out === undefined) {
    printResult(documents.map(({ content }) => `---\n${writeYaml(content)}`).join(''))
    for (const line of report) printNote(line)
  } else for (const line of report) printLine(line)
}

/** Values have each name once. */
function refuseTwins({ sets }: ImportResult): void {
  const [name] = twins(sets)
  if (name === undefined) return
  const sentence = `Several sets are named ${name}, and values of a chart have each name once.`
  throw new CliFailure({ code: 'name-taken', sentence, next: 'Import the files of each cluster on their own.' })
}

/** kubectl reads every YAML and JSON file of a folder, so the report is neither. */
function filesOf(documents: readonly OutputDocument[], report: readonly string[]): ReadonlyMap<string, string> {
  const files = documents.map(({ file, content }) => [file, writeYaml(content)] as const)
  return new Map([...files, ['report.txt', `${report.join('\n')}\n`]])
}
