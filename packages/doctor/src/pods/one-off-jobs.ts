// Recognizes Jobs that a person starts once: those of a tutorial, and copies between volumes.
import { textAt, valueAt } from '@dayfly/kit/read-json'
import { imageParts } from '@dayfly/runner-set/model/container-engine'
import type { ContainerView, PodView } from '../pod-view.ts'
import { type Command, commandsOf, programOf } from '../read/shell/commands.ts'
import { ordinaryContainers } from './pod-parts.ts'

/** Whether the Job is a sample, by its place, its names, its labels or its work. */
export function isSampleJob(pod: PodView): boolean {
  const { delivery, object, labels, raw } = pod
  if (delivery === undefined) return false
  const template = textAt(raw, 'spec', 'template', 'metadata', 'name')
  const names = [object.name, template ?? '']
  if (delivery.isSample === true || names.some((name) => sampleWord.test(name))) return true
  if ([...names, ...Object.values(labels)].some((name) => textbookName.test(name))) return true
  return onlyShows(pod) || pod.containers.some(hasPlaceholder)
}

/** Whether a person has to replace a word of the image or of the arguments: nobody runs the Job as it is. */
function hasPlaceholder({ image, words }: ContainerView): boolean {
  if (/<[^<>]+>|(?:^|[/_-])placeholder(?:[:@_-]|$)/i.test(image ?? '')) return true
  const read = [image ?? '', ...words].map((word) => word.slice(0, 10_000))
  return read.some((word) => placeholder.test(word) || capitals.test(word))
}

/** Words that only stand for others in capital letters: in small letters, a program may have such an option. */
const capitals = /(?:^|[^A-Za-z])(?:PLACEHOLDER|REPLACE_(?:WITH_)?[A-Z]+)(?:[^A-Za-z]|$)/

const placeholder =
  /(?:^|[^a-z0-9])your(?:[-_][a-z]|(?:registry|repo(?:sitory)?|org|user(?:name)?|project|image|account|domain|company)(?:[^a-z]|$))|\b(?:change[-_]?me|replace[-_]?me)\b/i

/** Words that a sample has in its name. A label may have them for another reason, such as an environment for demonstrations. */
const sampleWord = /(?:^|-)(?:examples?|samples?|demo|tutorial|hello)(?:-|$)/
/** The Jobs of Kubernetes' own documentation: https://kubernetes.io/docs/tasks/job/ */
const textbookName =
  /^(?:pi(?:-with-\w+)?|job-?example|job-wq-\d|process-item-[\w-]+|indexed-job|job-backoff-limit-\S+|job-pod-failure-\S+|job-success-policy)$/

const plainImage = /^(?:busybox|alpine|perl|bash|debian|ubuntu|centos|hello-world)$/

/** Whether the Job only prints, waits or computes in an image without any program of its author. */
function onlyShows(pod: PodView): boolean {
  const containers = ordinaryContainers(pod)
  return (
    containers.length > 0 &&
    containers.every((container) => {
      const { name } = imageParts(container.image)
      if (!plainImage.test(name)) return false
      const commands = commandsOf(container)
      return commands.length === 0 ? name === 'hello-world' : commands.every(shows)
    })
  )
}

function shows(command: Command): boolean {
  const program = programOf(command)
  if (program === 'perl') return command.words.some((word) => /bignum|bpi\(/.test(word))
  return /^(?:echo|printf|sleep|date|seq|expr|true|false|exit|rev|hostname|uname|:|\w+=.*)$/.test(program)
}

/** Whether the Job, which has one fixed name, copies the content of one claim to another. */
export function copiesVolumes(pod: PodView): boolean {
  if (pod.isRunner || pod.object.name === '') return false
  return ordinaryContainers(pod).some((container) => copies(container, pod))
}

function copies(container: ContainerView, pod: PodView): boolean {
  const isClaim = (name: string) =>
    pod.volumes.some((each) => each.name === name && valueAt(each.raw, 'persistentVolumeClaim') !== undefined)
  const claims = Object.entries(container.mounts).filter(([, name]) => isClaim(name))
  if (claims.length < 2) return false
  const commands = commandsOf(container)
  if (!commands.some((command) => /^(?:rsync|cp|tar|rclone)$/.test(programOf(command)))) return false
  const words = commands.flatMap((command) => command.words)
  const used = claims.filter(([path]) => words.some((word) => isBelow(word, path.replace(/\/$/, ''))))
  return new Set(used.map(([, name]) => name)).size > 1
}

/** Whether the word is the folder, or a path in it. */
function isBelow(word: string, folder: string): boolean {
  return word === folder || word.startsWith(`${folder}/`)
}
