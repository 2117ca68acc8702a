// Finds out what ends a program that would run indefinitely.
// Possible ends are its own script, a neighbour in a shared PID namespace, a request, and the deletion of the pod.
import type { ContainerView, PodView } from '../pod-view.ts'
import { type Command, programOf } from '../read/shell/commands.ts'

type Neighbourhood = Pick<PodView, 'containers' | 'shareProcessNamespace'>

/**
 * Whether a script ends although these of its commands never do.
 * They run in the background of a command that ends, or a background command ends them.
 */
export function endsItself(commands: readonly Command[], endless: readonly Command[]): boolean {
  const first = commands.findIndex((command) => endless.includes(command))
  if (commands.some((command, index) => ends(command) && (command.background || index > first))) return true
  return (
    endless.every(({ background }) => background) && !commands.some((command, index) => index > first && waits(command))
  )
}

/** Whether the command ends other programs of its container. */
function ends(command: Command): boolean {
  const [, first = ''] = command.words
  if (programOf(command) === 'kill') return !/^-(0|l|L)$/.test(first) && command.words.length > 1
  return /^(pkill|killall|killall5|fuser)$/.test(programOf(command))
}

/** Whether the command lasts as long as the commands before it. */
function waits(command: Command): boolean {
  return !command.background && (programOf(command) === 'wait' || runsForever(command))
}

/** Whether the program waits indefinitely: `tail -f`, `sleep infinity`. */
export function runsForever(command: Command): boolean {
  const [, ...args] = command.words
  if (command.limited || command.piped) return false
  switch (programOf(command)) {
    case 'tail':
      return (
        args.some((word) => /^(-\w*[fF]\w*|--follow.*|--retry)$/.test(word)) &&
        !args.some((word) => /^--pid/.test(word))
      )
    case 'sleep':
      return args.some((word) => /^(inf(inity)?|\d{7,}s?|\d{3,}[hd]|[3-9]\dd)$/.test(word))
    case 'socat':
      return args.some((word) => /LISTEN/i.test(word) && /\bfork\b/.test(word))
    default:
      return false
  }
}

/**
 * Whether a neighbour ends it in a shared PID namespace, or deletes the whole pod.
 * `engine`: it is the daemon of this engine, so a kill that names only the daemon of another one does not end it.
 */
export function isEndedBySibling(container: ContainerView | undefined, pod: Neighbourhood, engine?: string): boolean {
  const words = pod.containers
    .flatMap((other) => (other === container ? [] : other.words))
    .map((word) => word.slice(0, 10_000))
  if (words.some((word) => deletesPod.test(word))) return true
  if (!pod.shareProcessNamespace) return false
  return words.some((word) => kills.test(word) && (engine === undefined || !namesOnlyOther(word, engine)))
}

function namesOnlyOther(word: string, engine: string): boolean {
  const killed = [...word.matchAll(/\b(pkill|killall5?|pidof|pgrep)\b([^;&|\n)`]*)/g)].map(([, , names = '']) => names)
  const engines = killed.map((names) => /\b(docker|buildkit|podman)d?\b/.exec(names)?.[1])
  return engines.length > 0 && engines.every((name) => name !== undefined && name !== engine)
}

const kills = /\b(pkill|killall5?)\b|\bkill\b[^;&|\n]*(pidof|pgrep|\bps\b|-- -1|\$\()/
const deletesPod = /\bkubectl\b[^;&|\n]*\bdelete\b[^;&|\n]*\b(pods?|po|jobs?)\b/

/**
 * Whether a helper learns that the work has ended: by a request, a flag, or a wrapper around the work.
 * Without a container, the helper is one that the manifest does not show.
 */
export function isTriggeredToEnd(container: ContainerView | undefined, pod: Neighbourhood): boolean {
  if (isEndedBySibling(container, pod)) return true
  const everyWord = pod.containers.flatMap((each) => [...each.words, ...Object.keys(each.env)])
  return everyWord.some((word) => requests.test(word.slice(0, 10_000)))
}

const requests =
  /quit_?quit_?quit|\/shutdown\b|exit[-_]after[-_]auth|linkerd-await|scuttle|ISTIO_QUIT_API|envoy-preflight|\/quit\b/i
