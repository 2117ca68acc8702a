// Converts the container of the runner.
import { isJsonObject, type JsonObject, type Path, textAt, textsAt } from '@dayfly/kit/read-json'
import { runnerContainer } from '@dayfly/runner-set/model/runner-names'
import { authorityParts } from './authority.ts'
import { type FoundContainer, specPath, wordsOf } from './containers.ts'
import type { Context } from './context.ts'
import { proxyVariables } from './proxy.ts'
import { convertVariables } from './variables.ts'
import { convertMounts, type Volumes } from './volumes.ts'

/** The program of GitHub's image that Dayfly starts, too. */
const runScript = /^(\/home\/runner\/|\.\/)?run\.sh$/

/** Returns the container `runner`; undefined if Dayfly's own needs no change. */
export function convertRunner(
  context: Context,
  runner: FoundContainer | undefined,
  volumes: Volumes,
  hasDocker: boolean,
): JsonObject | undefined {
  const { ledger, defaults } = context
  const out: Record<string, unknown> = {}
  const variables: JsonObject[] = []
  const mounts: JsonObject[] = []
  for (const key of Object.keys(runner?.value ?? {})) {
    if (!runner) break
    const path: Path = [...runner.path, key]
    const member = runner.value[key]
    if (key === 'name') noteName(context, path, member)
    else if (key === 'command' || key === 'args') continue
    else if (key === 'env') variables.push(...convertVariables(context, runner, hasDocker))
    else if (key === 'volumeMounts') mounts.push(...convertMounts(context, runner, volumes))
    else if (key === 'image' && member === defaults.runner['image'])
      ledger.note('kept', path, "Dayfly's runner has the same image.")
    else if (member !== null) out[key] = member
  }
  const lacksSocket = hasDocker && !mounts.some(({ mountPath }) => ofSocket.test(String(mountPath)))
  if (runner) Object.assign(out, convertCommand(context, runner, lacksSocket))
  const authority = authorityParts(context)
  const env = withoutTwice([...variables, ...proxyVariables(context), ...authority.variables])
  const all = withoutTwice([...mounts.filter(isOwnMount), ...authority.mounts])
  if (env.length > 0) out['env'] = env
  if (all.length > 0) out['volumeMounts'] = all
  return Object.keys(out).length === 0 ? undefined : { name: runnerContainer, ...out }
}

function noteName({ ledger }: Context, path: Path, name: unknown): void {
  if (name === runnerContainer) ledger.note('kept', path, 'The container runner is the runner.')
  else
    ledger.note('decide', path, `No container is named ${runnerContainer}, so this one is. ARC needs that name, too.`)
}

/** Dayfly's pod has this mount itself if Docker is beside the runner. */
function isOwnMount(mount: JsonObject): boolean {
  return mount['name'] !== 'dayfly-work' || mount['mountPath'] !== '/home/runner/_work' || 'subPath' in mount
}

/** The first entry of a name wins, as the user's own does in ARC's chart. */
function withoutTwice(entries: readonly JsonObject[]): readonly JsonObject[] {
  const key = (entry: JsonObject) => entry['mountPath'] ?? entry['name']
  return entries.filter(
    (entry, index) => key(entry) === undefined || entries.findIndex((other) => key(other) === key(entry)) === index,
  )
}

/** Dayfly's runner reads its credential from a file, and its command does that. Another command is started by a shell that does it, too. */
function convertCommand(context: Context, { value, path }: FoundContainer, lacksSocket: boolean): JsonObject {
  const { ledger, defaults } = context
  const words = wordsOf(value)
  const note = (is: 'kept' | 'changed' | 'decide', sentence: string) => {
    for (const key of ['command', 'args']) ledger.note(is, [...path, key], sentence)
  }
  const [first = ''] = words
  if (words.length === 0) {
    note('kept', 'It is empty.')
    return {}
  }
  if (isForWindows(context, words)) {
    note(
      'decide',
      'Dayfly starts runners on Linux only: a runner on Windows has no counterpart. The command is kept as it is.',
    )
    return {
      ...(value['command'] === undefined ? {} : { command: value['command'] }),
      ...(value['args'] === undefined ? {} : { args: value['args'] }),
    }
  }
  if (runScript.test(first) && words.length === 1) {
    note('kept', "Dayfly's runner starts the same program, with its credential.")
    return {}
  }
  if (textsAt(value, 'command').length === 0) {
    note(
      'decide',
      "These are arguments of the image's own entrypoint, and Dayfly starts /home/runner/run.sh. Write a command with the entrypoint.",
    )
    return {}
  }
  if (lacksSocket && words.some((word) => /\/run\/(docker\/)?docker\.sock\b/.test(word))) note('decide', noSocket)
  else note('changed', 'A shell reads the credential of the runner from its file, and then starts this command.')
  const read = `ACTIONS_RUNNER_INPUT_JITCONFIG="$(cat "\${DAYFLY_ROOT:-}${defaults.credentialFile}")" exec "$@"`
  return { command: ['/bin/sh', '-c', read, runnerContainer], args: withoutCredential(words) }
}

/** A mount that has a socket of Docker, such as that of the node. */
const ofSocket = /^\/(var\/)?run(\/docker)?(\/docker\.sock)?\/?$/
const noSocket =
  "The command uses the old engine's socket, which is not at this path. Dayfly's engine is ready before the runner starts, and DOCKER_HOST names its socket."

/** The runner takes the credential from the variable, and Kubernetes cannot fill the variable into an argument. */
function withoutCredential(words: readonly string[]): readonly string[] {
  const isOption = (word: string | undefined) => word === '--jitconfig'
  const isValue = (word: string | undefined) =>
    word !== undefined && /^\$[({]?ACTIONS_RUNNER_INPUT_JITCONFIG[)}]?$/.test(word)
  return words.filter(
    (word, index) => !(isOption(word) && isValue(words[index + 1])) && !(isValue(word) && isOption(words[index - 1])),
  )
}

function isForWindows({ values }: Context, words: readonly string[]): boolean {
  if (words.some((word) => /\.(cmd|exe|ps1)$|^(pwsh|powershell|cmd)$/i.test(word))) return true
  return textAt(values.root, ...specPath, 'nodeSelector', 'kubernetes.io/os') === 'windows'
}

/** Returns the image of the runner. */
export function imageOf({ defaults }: Context, runner: FoundContainer | undefined): unknown {
  return textAt(runner?.value, 'image') ?? (isJsonObject(defaults.runner) ? defaults.runner['image'] : undefined)
}
