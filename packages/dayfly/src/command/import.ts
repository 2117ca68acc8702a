// `dayfly import`: RunnerSets from another autoscaler's own files, with a report that names every path of them.
import { CliFailure } from '@dayfly/command-line/failure'
import { printJson, printLine, printNote, printResult, resultColumns } from '@dayfly/command-line/output'
import { programName } from '@dayfly/command-line/program-name'
import { defaultSpec } from '@dayfly/runner-set/core/default-spec'
import { Command, Option } from 'commander'
import type { Strategy } from '../migrate/bitbucket-autoscaler/convert/scale.ts'
import { type FileProblem, type ImportResult, importAutoscaler } from '../migrate/bitbucket-autoscaler/import.ts'
import { writeYaml } from '../migrate/write-yaml.ts'
import { arcCommand } from './import/arc.ts'
import { readAutoscalerFiles } from './import/autoscaler-files.ts'
import { importJson, reportLines } from './import/show-import.ts'
import { writeFiles } from './import/write-files.ts'

type Options = {
  readonly out?: string
  readonly strategy: Strategy
  readonly strict?: true
  readonly json?: true
}

type Imported = Extract<ImportResult, { readonly ok: true }>

export function importCommand(): Command {
  return new Command('import')
    .description("Makes RunnerSets of another autoscaler's own files or objects. Changes no cluster.")
    .addCommand(arcCommand())
    .addCommand(bitbucketCommand())
}

function bitbucketCommand(): Command {
  const dayfly = programName()
  return new Command('bitbucket-autoscaler')
    .description("Makes RunnerSets of the files of Atlassian's autoscaler for Bitbucket Pipelines.")
    .argument('<config>', 'runners_config.yaml, the ConfigMap that contains it, or a folder with it and the template')
    .argument('[template]', 'job.yaml.template, or the ConfigMap that contains it; default: the pod of Dayfly')
    .option('--out <folder>', 'write each RunnerSet to a file of this folder, and the report to report.txt')
    .addOption(
      new Option('--strategy <name>', 'percentage: the official formulas. idle-spares: a number of idle runners')
        .choices(['percentage', 'idle-spares'])
        .default('percentage'),
    )
    .option('--strict', 'read the files exactly as the official autoscaler 3.7.0 does, its mistakes included')
    .option('--json', 'print the RunnerSets, the report and the plan of the takeover as JSON')
    .addHelpText(
      'after',
      `
Examples:
  ${dayfly} import bitbucket-autoscaler runners_config.yaml job.yaml.template --out sets
                                        write the RunnerSets, and show the report and the plan
  ${dayfly} import bitbucket-autoscaler kustomize --out sets
                                        the files of a folder, such as that of the autoscaler's repository
  ${dayfly} import bitbucket-autoscaler runners_config.yaml job.yaml.template > sets.yaml
                                        the RunnerSets in one file; the report is on stderr
  kubectl get configmap runners-autoscaler-config -n bitbucket-runner-control-plane -o yaml > config.yaml
  ${dayfly} import bitbucket-autoscaler config.yaml
                                        read the configuration from the cluster's own ConfigMap

The report names every path of both files: kept, changed or dropped, each with the reason.
Exit codes: 0 written, 1 the output cannot be written, 2 wrong usage or a file with a problem.`,
    )
    .action((config: string, template: string | undefined, options: Options) => run(config, template, options))
}

function run(config: string, jobTemplate: string | undefined, options: Options): void {
  const { configuration, template, folder } = readAutoscalerFiles(config, jobTemplate)
  const result = importAutoscaler({
    configuration: configuration.text,
    template: template?.text,
    mode: options.strict ? 'strict' : 'corrected',
    strategy: options.strategy,
    defaultSpec: defaultSpec({ forge: 'bitbucket', docker: 'sidecar' }, ''),
  })
  if (!result.ok) {
    throw failureOf(result.problems, { configuration: configuration.file, template: template?.file ?? '' })
  }
  if (options.out !== undefined) writeFiles(options.out, filesOf(options.out, result))
  if (folder !== undefined) {
    const pod = template
      ? ` and ${template.file}.`
      : '. The folder has no job template, so the sets have the pod of Dayfly.'
    printNote(`Read ${configuration.file}${pod}`)
  }
  show(result, options)
}

function show(result: Imported, options: Options): void {
  const files = options.out ?? 'sets.yaml'
  if (options.json) {
    printJson(importJson(result, files))
    return
  }
  const report = reportLines(result, files, resultColumns() ?? 120)
  if (options.out === undefined) {
    printResult(result.sets.map(({ document }) => `---\n${writeYaml(document)}`).join(''))
    for (const line of report) printNote(line)
  } else for (const line of report) printLine(line)
}

/** A sentence of the reader ends with its next step. */
function failureOf(problems: readonly FileProblem[], files: Readonly<Record<FileProblem['file'], string>>): CliFailure {
  const shown = problems.slice(0, 20).map(({ file, path: place, sentence }) => {
    const [, why = sentence, next] = /^(.*?\.)\s+(\S.*)$/s.exec(sentence) ?? []
    return {
      at: files[file],
      code: `${file}-invalid`,
      sentence: place === '' ? why : `${place}: ${why}`,
      next: next ?? 'Correct the file.',
    }
  })
  const [first, ...others] = shown
  if (!first) throw new Error('an import fails with at least one problem')
  return new CliFailure({ ...first, others })
}

function filesOf(folder: string, result: Imported): ReadonlyMap<string, string> {
  const sets = result.sets.map(({ document }) => [`${document.metadata.name}.yaml`, writeYaml(document)] as const)
  // kubectl reads every YAML and JSON file of a folder, so the report is neither.
  return new Map([...sets, ['report.txt', `${reportLines(result, folder, 120).join('\n')}\n`]])
}
