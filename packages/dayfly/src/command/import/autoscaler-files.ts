// Reads the files of Atlassian's autoscaler. An operator names them, or the folder that has them.
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { CliFailure } from '@dayfly/command-line/failure'
import { readSources } from '@dayfly/doctor/read/files/read'
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
const shownMax = 5

/** Throws a CliFailure if a file cannot be read, or if the folder has no configuration or several. */
export function readAutoscalerFiles(config: string, template: string | undefined): AutoscalerFiles {
  const given = template === undefined ? undefined : readNamed(template, 'template')
  if (!isFolder(config))
    return { configuration: readNamed(config, 'configuration'), template: given, folder: undefined }
  const { files, skipped } = readSources([config], process.cwd())
  const inputs = files.map((file) => ({ file: file.path, text: withoutMark(file.text) }))
  const configuration = onlyOne(config, inputs, 'configuration')
  if (configuration) return { configuration, template: given ?? onlyOne(config, inputs, 'template'), folder: config }
  const unread = skipped.find(({ intended }) => !intended)
  const why = unread ? ` ${unread.file} was not read: ${unread.reason}.` : ''
  const sentence = `${config} has no ${keys.configuration}, and no ConfigMap that contains it.${why}`
  throw new CliFailure({ code: 'configuration-missing', sentence, next: 'Name the file, or another folder.' })
}

function isFolder(name: string): boolean {
  return statSync(name, { throwIfNoEntry: false })?.isDirectory() === true
}

function readNamed(file: string, what: keyof typeof keys): InputFile {
  const key = keys[what]
  if (isFolder(file)) {
    const sentence = `${file} is a folder, and the ${what} is one file.`
    throw new CliFailure({ code: 'file-unreadable', sentence, next: `Name ${key}, or the ConfigMap that contains it.` })
  }
  return { file, text: textInConfigMap(readInput(file), key) }
}

function onlyOne(folder: string, inputs: readonly InputFile[], what: keyof typeof keys): InputFile | undefined {
  const key = keys[what]
  const found = inputs.flatMap(({ file, text }) => {
    const inner = textInConfigMap(text, key)
    return inner !== text || path.basename(file) === key ? [{ file, text: inner }] : []
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

function readInput(file: string): string {
  try {
    const text = readFileSync(file)
    if (text.length <= bytesMax) return withoutMark(text.toString('utf8'))
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.replace(/^[A-Z]+: |, \w+( '.*')?$/g, '') : 'unknown error'
    const next = 'Name a file that exists and that you may read.'
    throw new CliFailure({ code: 'file-unreadable', sentence: `${file} cannot be read: ${why}.`, next, cause })
  }
  const next = 'Name the configuration or the job template of the autoscaler.'
  throw new CliFailure({ code: 'file-too-large', sentence: `${file} has more than ${bytesMax} bytes.`, next })
}

/** Drops the byte order mark. */
function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '')
}
