// Converts the command of a template's Docker container. Dayfly's own arguments stay, because they open the socket that the runner uses.
import { below, type Mapping, plainOf, type Value } from '../yaml/value.ts'
import { wordsOf } from './roles.ts'
import type { Source } from './source.ts'

const daemons: ReadonlySet<string> = new Set([
  'dockerd',
  'dockerd-entrypoint.sh',
  '/usr/local/bin/dockerd-entrypoint.sh',
])
/** Dayfly's engine listens there anyway, and a second listener on the same socket fails. */
const ownSocket = 'unix:///var/run/docker.sock'

/** Dayfly's engine keeps its own files there, which must not be in a volume: a second engine would find those of the first. */
const scratch = '/tmp/'

/** Returns whether the template starts its engine by a command of its own, which Dayfly's arguments cannot join. */
export function hasOwnCommand(container: Mapping): boolean {
  const [first] = [...wordsOf(container.get('command')), ...wordsOf(container.get('args'))]
  return first !== undefined && !daemons.has(first) && !first.startsWith('-')
}

export type Engine = { readonly command?: unknown; readonly args?: unknown }

/** Returns the fields for the change of the sidecar. */
export function convertEngine(
  container: Mapping,
  path: string,
  { ledger, defaults, hasOwnWorkFolder }: Source,
): Engine {
  const command = container.get('command')
  const args = container.get('args')
  const words = [...wordsOf(command), ...wordsOf(args)]
  const note = (is: 'kept' | 'changed', sentence: string) => {
    if (command !== undefined) ledger.note(is, below(path, 'command'), command, sentence)
    if (args !== undefined) ledger.note(is, below(path, 'args'), args, sentence)
  }
  const standard = wordsOf(defaults.docker['args'] as Value | undefined)
  const own = hasOwnWorkFolder ? standard.map((word) => word.replace(`=${scratch}`, '=/')) : standard
  if (words.length === 0) {
    note('kept', 'It is empty.')
    return hasOwnWorkFolder ? { args: own } : {}
  }
  const [first = ''] = words
  if (hasOwnCommand(container)) {
    note(
      'kept',
      'The container docker runs this command as written, and the runner uses its socket at /var/run/docker.sock.',
    )
    return {
      ...(command === undefined ? {} : { command: plainOf(command) }),
      args: args === undefined ? [] : plainOf(args),
    }
  }
  const extra = withoutOwnSocket(daemons.has(first) ? words.slice(1) : words).filter((word) => !own.includes(word))
  note(
    'changed',
    "Dayfly's own arguments of dockerd come first, and these follow. The listener on Docker's own socket is there once.",
  )
  return extra.length > 0 || hasOwnWorkFolder ? { args: [...own, ...extra] } : {}
}

function withoutOwnSocket(words: readonly string[]): readonly string[] {
  return words.filter((word, index) => {
    const isOption = word === '-H' || word === '--host'
    if (isOption) return words[index + 1] !== ownSocket
    if (word === ownSocket) return !/^(?:-H|--host)$/.test(words[index - 1] ?? '')
    return word !== `--host=${ownSocket}` && word !== `-H=${ownSocket}` && word !== `-H${ownSocket}`
  })
}
