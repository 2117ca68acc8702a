// Who ends a program that would run for ever: its own script, a neighbour in a shared PID namespace, a request to it, or the end of the pod itself.

import type { ContainerView, PodView } from '../pod-view.ts'
import { type Command, programOf } from './commands.ts'

type Neighbourhood = Pick<PodView, 'containers' | 'shareProcessNamespace'>

/** The script around these of its commands, which never end, ends all the same: they are in the background of something that ends, or something in the background ends them. */
export function endsItself(commands: readonly Command[], endless: readonly Command[]): boolean {
  const first = commands.findIndex((command) => endless.includes(command))
  if (commands.some((command, index) => ends(command) && (command.background || index > first))) return true
  return (
    endless.every(({ background }) => background) && !commands.some((command, index) => index > first && waits(command))
  )
}

/** It ends other programs of its container. */
function ends(command: Command): boolean {
  const [, first = ''] = command.words
  if (programOf(command) === 'kill') return !/^-(0|l|L)$/.test(first) && command.words.length > 1
  return /^(pkill|killall|killall5|fuser)$/.test(programOf(command))
}

/** It goes on for as long as what stands before it. */
function waits(command: Command): boolean {
  return !command.background && (programOf(command) === 'wait' || runsForEver(command))
}

/** A program that waits for nothing: `tail -f`, `sleep infinity`. */
export function runsForEver(command: Command): boolean {
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

/** A neighbour ends it in the PID namespace that they share, or has the whole pod deleted. */
export function isEndedBySibling(container: ContainerView, pod: Neighbourhood): boolean {
  const words = pod.containers
    .flatMap((other) => (other === container ? [] : other.words))
    .map((word) => word.slice(0, 10_000))
  if (words.some((word) => deletesPod.test(word))) return true
  return pod.shareProcessNamespace && words.some((word) => kills.test(word))
}

const kills = /\b(pkill|killall5?)\b|\bkill\b[^;&|\n]*(pidof|pgrep|\bps\b|-- -1|\$\()/
const deletesPod = /\bkubectl\b[^;&|\n]*\bdelete\b[^;&|\n]*\b(pods?|po|jobs?)\b/

/** Something tells a helper to end when the work has ended: a request, a flag of its own, a wrapper around the work. */
export function isToldToEnd(container: ContainerView, pod: Neighbourhood): boolean {
  if (isEndedBySibling(container, pod)) return true
  const everyWord = pod.containers.flatMap((each) => [...each.words, ...Object.keys(each.env)])
  return everyWord.some((word) => requests.test(word.slice(0, 10_000)))
}

const requests =
  /quit_?quit_?quit|\/shutdown\b|exit[-_]after[-_]auth|linkerd-await|scuttle|ISTIO_QUIT_API|envoy-preflight|\/quit\b/i
