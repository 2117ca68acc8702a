// Reads the identity of a Gitea runner: the file `.runner`, which Gitea's own runner writes when it registers.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { isJsonObject, textAt, textsAt } from '@dayfly/kit/read-json'

export type TaskRunnerCredential = {
  readonly name: string
  readonly uuid: string
  readonly token: string
  /** The address of Gitea, with a slash at the end. */
  readonly address: string
  /** The labels without their scheme. */
  readonly labels: readonly string[]
}

/** The variable with the name of the file, as in the official image. Steps do not see it. */
export const stateFileName = 'RUNNER_STATE_FILE'

/** The root folder of a container of the embedded cluster. Another container has none. */
const rootName = 'DAYFLY_ROOT'

type Environment = Readonly<Record<string, string | undefined>>

/** Returns the credential, or a sentence about what is missing or not valid. No sentence quotes the file. */
export function readStateFile(environment: Environment): TaskRunnerCredential | string {
  const file = path.join(environment[rootName] ?? '', environment[stateFileName] ?? '')
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'no file'
    return `The state file ${file} cannot be read (${why}). Set ${stateFileName} to the path of a file .runner.`
  }
  return readState(text) ?? `The state file ${file} is not valid. Register the runner again.`
}

/** Returns undefined if the text is not the content of a file `.runner`, or a sentence about what the small runner cannot do. */
export function readState(text: string): TaskRunnerCredential | string | undefined {
  const state = parse(text)
  const [name, uuid, token, address] = ['name', 'uuid', 'token', 'address'].map((key) => textAt(state, key))
  if (!isJsonObject(state) || !name || !uuid || !token || !address || !URL.canParse(address)) return undefined
  if (new URL(address).protocol !== 'http:') return `The small runner speaks only HTTP, and the address is ${address}.`
  const labels = textsAt(state, 'labels').map((label) => /^([^:]*)(?::([^:]*))?/.exec(label) ?? [])
  const docker = labels.find(([, , scheme]) => scheme !== undefined && scheme !== 'host')
  if (docker) {
    const [, label, scheme] = docker
    return `The label ${label} wants ${scheme}, and the small runner runs jobs only on its host. Write ${label}:host.`
  }
  if (state['ephemeral'] !== true)
    return 'The small runner runs one task, so it must be ephemeral. Register it with `ephemeral`.'
  const base = address.endsWith('/') ? address : `${address}/`
  return { name, uuid, token, address: base, labels: labels.map(([, label = '']) => label) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
