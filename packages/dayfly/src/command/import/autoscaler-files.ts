// Reads the files of Atlassian's autoscaler. An operator names them, or the folder that has them.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { CliFailure } from '@dayfly/command-line/failure'
import { textInConfigMap } from '../../migrate/bitbucket-autoscaler/config-map.ts'

type InputFile = { readonly file: string; readonly text: string }

export type AutoscalerFiles = {
  readonly configuration: InputFile
  /** Undefined if the operator has no template of their own. */
  readonly template: InputFile | undefined
  /** The folder in which they were found; undefined if the operator named each. */
  readonly folder: string | undefined
}

const keys = { configuration: 'runners_config.yaml', template: 'job.yaml.template' } as const
const bytesMax = 4 * 1024 * 1024
const entriesMax = 20_000
const shownMax = 5

/** Throws a CliFailure if a file cannot be read, or if the folder has no configuration or several. */
export function readAutoscalerFiles(config: string, template: string | undefined): AutoscalerFiles {
  const given = template === undefined ? undefined : readNamed(template, keys.template)
  if (!isFolder(config))
    return { configuration: readNamed(config, keys.configuration), template: given, folder: undefined }
  const files = filesIn(config)
  const configuration = onlyOne(config, files, 'configuration')
  if (configuration) return { configuration, template: given ?? onlyOne(config, files, 'template'), folder: config }
  const sentence = `${config} has no ${keys.configuration}, and no ConfigMap that contains it.`
  throw new CliFailure({ code: 'configuration-missing', sentence, next: 'Name the file, or another folder.' })
}

function isFolder(name: string): boolean {
  return statSync(name, { throwIfNoEntry: false })?.isDirectory() === true
}

function readNamed(file: string, key: string): InputFile {
  if (isFolder(file)) {
    const sentence = `${file} is a folder, and the job template is one file.`
    throw new CliFailure({ code: 'file-unreadable', sentence, next: `Name ${key}, or the ConfigMap that contains it.` })
  }
  return { file, text: textInConfigMap(readInput(file), key) }
}

function onlyOne(folder: string, files: readonly string[], what: keyof typeof keys): InputFile | undefined {
  const found = files.flatMap((file) => {
    const text = readInput(file)
    const inner = textInConfigMap(text, keys[what])
    return inner !== text || path.basename(file) === keys[what] ? [{ file, text: inner }] : []
  })
  const [first, ...others] = found
  if (others.length === 0) return first
  const names = found.slice(0, shownMax).map(({ file }) => file)
  const more = found.length > shownMax ? ', …' : ''
  throw new CliFailure({
    code: `${what}-ambiguous`,
    sentence: `${folder} has ${found.length} files with the ${what}: ${names.join(', ')}${more}.`,
    next: 'Name the configuration that the autoscaler reads, and then its job template.',
  })
}

/** Returns the files whose names may be those of a manifest or template, without the large ones. Follows no symbolic link. */
function filesIn(folder: string): readonly string[] {
  const entries = entriesOf(folder)
  if (entries.length > entriesMax) {
    const sentence = `${folder} has more than ${entriesMax} files.`
    throw new CliFailure({
      code: 'folder-too-large',
      sentence,
      next: 'Name the folder of the autoscaler, or its files.',
    })
  }
  return entries
    .filter((entry) => entry.isFile() && /\.(ya?ml|template)$/.test(entry.name))
    .map(({ parentPath, name }) => path.join(parentPath, name))
    .filter((file) => statSync(file).size <= bytesMax)
    .sort()
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
  } catch (cause) {
    throw unreadable(folder, cause)
  }
}

function unreadable(name: string, cause: unknown): CliFailure {
  const why = cause instanceof Error ? cause.message.replace(/^[A-Z]+: |, \w+( '.*')?$/g, '') : 'unknown error'
  const next = 'Name a file that exists and that you may read.'
  return new CliFailure({ code: 'file-unreadable', sentence: `${name} cannot be read: ${why}.`, next, cause })
}

function readInput(file: string): string {
  try {
    const text = readFileSync(file)
    if (text.length <= bytesMax) return text.toString('utf8').replace(/^\uFEFF/, '')
  } catch (cause) {
    throw unreadable(file, cause)
  }
  const next = 'Name the configuration or the job template of the autoscaler.'
  throw new CliFailure({ code: 'file-too-large', sentence: `${file} has more than ${bytesMax} bytes.`, next })
}
