// `dayfly doctor baseline write`: writes today's findings as known.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { CliFailure } from '@dayfly/command-line/failure'
import { printNote } from '@dayfly/command-line/output'
import { Command } from 'commander'
import { writeBaseline } from '../baseline.ts'
import { doctorName } from '../doctor-name.ts'
import { decodeFiles, examine } from '../engine/examine.ts'
import { count } from '../report/wording.ts'
import { catalogue } from '../rules/catalogue.ts'
import { nameInRepository, setReader } from './check-files.ts'
import { maxFileSizeOption } from './max-file-size.ts'
import { type DoctorOptions, versionOf, versionOption } from './options.ts'
import { settingsOf } from './settings.ts'
import { readNamed } from './sources.ts'

const standardFile = '.dayfly-doctor-baseline.json'

type Options = Pick<DoctorOptions, 'kubernetesVersion' | 'maxFileSize'> & { readonly file?: string }

export function baselineCommand(): Command {
  const write = new Command('write')
    .description('Writes every finding of today to a file; "--baseline <file>" then reports only new ones.')
    .argument('[path...]', 'files, folders, quoted globs; - is stdin; the working folder unless given')
    .option('--file <file>', `where to write it; default: "baseline" of the configuration, or ${standardFile}`)
    .addOption(versionOption())
    .addOption(maxFileSizeOption())
    .addHelpText('after', help)
    .action((paths: string[], _: unknown, command: Command) => runWrite(paths, command.optsWithGlobals<Options>()))
  return new Command('baseline')
    .description('Known findings: report only new ones.')
    .addHelpText('after', help)
    .addCommand(write)
}

const help = `
Examples:
  ${doctorName} baseline write                              write today's findings as known
  ${doctorName} --baseline ${standardFile}     report only newer findings`

async function runWrite(paths: readonly string[], options: Options): Promise<void> {
  const settings = await settingsOf(paths, {}, process.cwd())
  const { files, ...around } = settings.exclude(await readNamed(paths, process.cwd(), options.maxFileSize))
  const file = options.file ?? settings.baseline ?? standardFile
  const version = versionOf(options)
  const decoded = decodeFiles(files)
  const { findings } = examine(decoded, catalogue, { version, readSet: await setReader(decoded), ...around })
  try {
    writeFileSync(path.resolve(file), writeBaseline(findings, nameInRepository()))
  } catch (cause) {
    throw new CliFailure({
      code: 'baseline-unwritable',
      sentence: `${file} cannot be written.`,
      next: 'Choose another --file.',
      cause,
    })
  }
  printNote(`${count(findings.length, 'finding')} written to ${file}`)
}
