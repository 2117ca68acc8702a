// Describes the status of a pod as short lines, without anything that differs between clusters or moments.
import { field, isObject } from '../../api/values/json.ts'

type Json = Readonly<Record<string, unknown>>

/** Describes the phase and each container, for example `Running main=running,started,ready`. `!` means that the pod is being deleted. */
export function stateLine(pod: Json, plain: (text: string) => string): string {
  const status = field(pod, 'status')
  const deleted = field(pod, 'metadata', 'deletionTimestamp') === undefined ? '' : '!'
  const why = [field(status, 'reason'), field(status, 'message')].filter((text) => text !== undefined)
  const names = (kind: string) => objects(field(pod, 'spec', kind)).map(({ name }) => name)
  const states = [...objects(field(status, 'initContainerStatuses')), ...objects(field(status, 'containerStatuses'))]
  const containers = [...names('initContainers'), ...names('containers')].map((name) => {
    const found = states.find((state) => state['name'] === name)
    return `${name}=${found ? containerLine(found) : 'none'}`
  })
  return plain([`${field(status, 'phase')}${deleted}`, ...why.map((text) => `(${text})`), ...containers].join(' '))
}

function containerLine(status: Json): string {
  const restarts = status['restartCount'] === 0 ? '' : `#${status['restartCount']}`
  const last = field(status, 'lastState')
  const before = isObject(last) && Object.keys(last).length > 0 ? ` after ${word(last)}` : ''
  const flags = [status['started'] && 'started', status['ready'] && 'ready'].filter(Boolean)
  return [word(status['state']), ...flags].join(',') + restarts + before
}

function word(state: unknown): string {
  const waiting = field(state, 'waiting')
  const ended = field(state, 'terminated')
  const message = field(waiting ?? ended, 'message')
  const text = message === undefined ? '' : `[${String(message).trim()}]`
  if (isObject(waiting)) return `${waiting['reason']}${text}`
  if (isObject(ended)) return `${ended['reason']}(${ended['exitCode']})${text}`
  return 'running'
}

/** Returns each condition as a line by its type, for example `False ContainersNotReady [containers with unready status: [main]]`. */
export function conditionLines(pod: Json, plain: (text: string) => string): ReadonlyMap<string, string> {
  return new Map(
    objects(field(pod, 'status', 'conditions')).map(({ type, status, reason, message }) => {
      const text = message === undefined || message === '' ? '' : `[${message}]`
      return [String(type), plain([status, reason, text].filter(Boolean).join(' '))]
    }),
  )
}

export function objects(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}
