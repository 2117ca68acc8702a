// Finds containers with long-lived helpers: proxies, log shippers, secret agents, databases, and commands that wait indefinitely.
import { textsAt } from '@dayfly/kit/read-json'
import type { ContainerView, PodView } from '../pod-view.ts'
import { type Command, commandsOf, programOf } from '../read/shell/commands.ts'
import { endsItself, isTriggeredToEnd, runsForever } from './endings.ts'
import { imageKind, startedKind } from './helper-kinds.ts'

export type Helper = {
  /** A description of the program. */
  readonly what: string
  /** `medium`: a command in it may still end it. */
  readonly confidence: 'high' | 'medium'
  /** It is the pod's work, so it is no sidecar of other work. */
  readonly isWork?: true | undefined
}

/** Returns undefined if the container may end, learns when to end, or is the runner itself. */
export function longLivedHelper(container: ContainerView, pod: PodView): Helper | undefined {
  if (container.name === pod.runner) return undefined
  const helper = startedHelper(container, pod) ?? imageHelper(container)
  return helper && !isTriggeredToEnd(container, pod) ? helper : undefined
}

/** Whether it is a `while` or `until` whose condition never changes. */
export function isEndlessLoop({ background, limited, loop, words }: Command): boolean {
  if (background || limited || loop === undefined) return false
  const condition = words.join(' ')
  return loop === 'while' ? /^(true|:|\[ 1 \]|sleep \S+)$/.test(condition) : condition === 'false'
}

function startedHelper(container: ContainerView, pod: PodView): Helper | undefined {
  const commands = commandsOf(container)
  const endless = commands.filter((command) => !command.limited && startsHelper(command))
  const [first] = endless
  if (first && !endsItself(commands, endless)) return { what: startedKind(first)?.what ?? '', confidence: 'high' }
  const waiting = commands.find((command) => !command.background && runsForever(command))
  if (waiting) {
    // In a bare pod, people and Jenkins keep a container alive this way.
    const isKept = pod.owner === 'Pod' && /^(sleep|tail -[fF] \/dev\/null$)/.test(waiting.words.join(' '))
    return isKept || endsItself(commands, [waiting]) ? undefined : { what: waiting.words.join(' '), confidence: 'high' }
  }
  return commands.some(isEndlessLoop) && !commands.some(leaves)
    ? { what: 'a loop without an end', confidence: 'medium' }
    : undefined
}

function startsHelper(command: Command): boolean {
  const kind = startedKind(command)
  return kind !== undefined && !kind.isWork
}

function leaves(command: Command): boolean {
  return /^(break|exit|return|exec|kill|pkill|killall)$/.test(programOf(command))
}

/** Recognizes the image's own entry point, unless the container overrides it. */
function imageHelper(container: ContainerView): Helper | undefined {
  if (textsAt(container.raw, 'command').length > 0) return undefined
  const kind = imageKind(container, container.words)
  return kind && { what: kind.what, confidence: 'high' }
}
