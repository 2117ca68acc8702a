// Finds init containers that certainly never end: long-lived helpers, and scripts that wait indefinitely.
// Most init containers are made to end, so a container that only might run indefinitely does not count.
import { valueAt } from '@dayfly/kit/read-json'
import type { ContainerView, PodView } from '../pod-view.ts'
import { type Command, commandsOf, programOf } from '../read/shell/commands.ts'
import { endsItself, isTriggeredToEnd, runsForever } from './endings.ts'
import { type HelperKind, imageKind, repositoryOf, startedKind } from './helper-kinds.ts'
import { type Helper, isEndlessLoop } from './long-lived.ts'

/** Returns undefined if the container may end, or if a container that started before it may end it. */
export function blockingInit(container: ContainerView, pod: PodView): Helper | undefined {
  const helper = startedHelper(container) ?? imageHelper(container)
  if (!helper) return undefined
  const containers = pod.containers.slice(0, pod.containers.indexOf(container) + 1)
  return isTriggeredToEnd(container, { ...pod, containers }) ? undefined : helper
}

function startedHelper(container: ContainerView): Helper | undefined {
  // A masked line of a template: the template may leave out what follows.
  if (container.words.some((word) => /^[ \t]*#{4,}[ \t]*\r?$/m.test(word))) return undefined
  const commands = commandsOf(container)
  const endless = commands.filter(
    (command) =>
      !command.conditional && !command.limited && (startedKind(command) !== undefined || runsForever(command)),
  )
  const [first] = endless
  if (!first) return endlessLoop(container, commands)
  const before = commands.slice(0, commands.indexOf(first))
  if (before.some((command) => /^(exit|return)$/.test(programOf(command))) || endsItself(commands, endless))
    return undefined
  const kind = startedKind(first)
  return kind ? helperOf(kind, 'high') : { what: first.words.join(' '), confidence: 'high' }
}

/** Any command in the body may end the loop with an error. */
function endlessLoop(container: ContainerView, commands: readonly Command[]): Helper | undefined {
  if (!commands.some((command) => !command.conditional && isEndlessLoop(command))) return undefined
  if (container.words.some((word) => leaves.test(word))) return undefined
  const isIdle = commands.every((command) => /^(true|:|sleep|echo|printf|date)$/.test(programOf(command)))
  return { what: 'a loop without an end', confidence: isIdle ? 'high' : 'medium' }
}

const leaves = /\b(break|exit|return|exec|kill|pkill|killall)\b/

/** Recognizes the image's own entry point, alone or with flags. An image with a general name may be a custom one. */
function imageHelper(container: ContainerView): Helper | undefined {
  const [first] = container.words
  if (valueAt(container.raw, 'command') !== undefined || container.image === 'auto') return undefined
  if (first !== undefined && !/^-|^[\w.-]+:|^projects\//.test(first)) return undefined
  const kind = imageKind(container, container.words)
  const isOwn = kind?.runsOthers && !publishers.test(repositoryOf(container))
  return kind && helperOf(kind, isOwn ? 'medium' : 'high')
}

const publishers = /^[^/]+$|(^|\/)(library|bitnami|envoyproxy|nginxinc)\/[^/]+$/

function helperOf({ what, asInit, isWork }: HelperKind, confidence: Helper['confidence']): Helper | undefined {
  return asInit === 'unknown' ? undefined : { what, confidence: asInit ?? confidence, isWork }
}
