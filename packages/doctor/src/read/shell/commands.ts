// Finds the programs that a container runs, from its command and arguments. Looks through shells and through programs that only start others.
import type { ContainerView } from '../../pod-view.ts'
import { readScript, type ShellCommand } from './shell.ts'

export type Command = ShellCommand & {
  /** Whether it runs under `timeout`. */
  readonly limited: boolean
}

/** Returns the commands in their order; none if the image's own entry point runs. */
export function commandsOf({ words }: Pick<ContainerView, 'words'>): readonly Command[] {
  return words.length === 0
    ? []
    : commandsIn(words, { background: false, piped: false, limited: false, counted: false, conditional: false }, 0)
}

/** Returns the program's name without its folder. */
export function programOf({ words }: Pick<Command, 'words'>): string {
  const [program = ''] = words
  return program.slice(program.lastIndexOf('/') + 1)
}

/** The number of letters of a word that are read. */
const lettersMax = 10_000
const shellsMax = 3

type Around = Pick<Command, 'background' | 'piped' | 'limited' | 'counted' | 'conditional'>

function commandsIn(words: readonly string[], around: Around, depth: number): readonly Command[] {
  const { rest, limited } = startedBy(words)
  const inside = { ...around, limited: around.limited || limited }
  const script = scriptOf(rest)
  if (script === undefined || depth >= shellsMax) return [{ words: rest, loop: undefined, ...inside }]
  return readScript(script.slice(0, lettersMax)).flatMap((command) => {
    const found = commandsIn(
      command.words,
      {
        background: inside.background || command.background,
        piped: inside.piped || command.piped,
        limited: inside.limited,
        counted: inside.counted || command.counted,
        conditional: inside.conditional || command.conditional,
      },
      depth + 1,
    )
    return command.loop === undefined ? found : found.map((each) => ({ ...each, loop: command.loop }))
  })
}

/** Returns the script of `sh -c …`. */
export function scriptOf(words: readonly string[]): string | undefined {
  const shell = programOf({ words }) === 'busybox' ? words[1] : programOf({ words })
  if (!/^(ba|da|a|z|k)?sh$/.test(shell ?? '')) return undefined
  const flag = words.findIndex((word, index) => index > 0 && /^-\w*c$/.test(word))
  return flag < 0 ? undefined : words[flag + 1]
}

/** Programs that only start another program, with their flags that take a word. */
const starters: Readonly<Record<string, RegExp>> = {
  exec: /^-a$/,
  sudo: /^-[ugCDhpRrTt]$/,
  env: /^-[uCS]$/,
  nice: /^-n$/,
  ionice: /^-[cn]$/,
  nohup: /^$/,
  setsid: /^$/,
  command: /^$/,
  stdbuf: /^-[ioe]$/,
  timeout: /^-[sk]$/,
  tini: /^-[pe]$/,
  'tini-static': /^-[pe]$/,
  'docker-init': /^-[pe]$/,
  'dumb-init': /^-r$/,
  catatonit: /^$/,
  'su-exec': /^$/,
  gosu: /^$/,
  rootlesskit: /^$/,
  'linkerd-await': /^$/,
  scuttle: /^$/,
  'envoy-preflight': /^$/,
}
/** Their first word is a user or a time, not a program. */
const withFirst: ReadonlySet<string> = new Set(['su-exec', 'gosu', 'timeout'])

/** Looks through programs that only start another one. `limited`: one of them is `timeout`. */
export function startedBy(words: readonly string[]): { readonly rest: readonly string[]; readonly limited: boolean } {
  let rest = words
  let limited = false
  for (;;) {
    while (/^\w+=/.test(rest[0] ?? '')) rest = rest.slice(1)
    const name = rest[0]?.split('/').at(-1) ?? ''
    const flags = Object.hasOwn(starters, name) ? starters[name] : undefined
    if (!flags || rest.length === 1) return { rest, limited }
    let next = 1
    while (/^-/.test(rest[next] ?? '') || /^\w+=/.test(rest[next] ?? '')) {
      const word = rest[next] ?? ''
      next += flags.test(word) ? 2 : 1
      if (word === '--') break
    }
    if (withFirst.has(name)) next++
    limited ||= name === 'timeout'
    rest = rest.slice(next)
  }
}
