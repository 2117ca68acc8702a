// Reads runners and pages as Bitbucket sends them (docs/reference/bitbucket.md#s2-2).
import type { Instant } from '@dayfly/kit/clock'
import { isJsonObject, listAt, numberAt, textAt, timeAt, valueAt } from '@dayfly/kit/read-json'
import type { Registration } from '@dayfly/runner-set/model/runner'

export type ListedRunner = {
  /** The UUID, with braces. */
  readonly id: string
  readonly name: string
  readonly labels: readonly string[]
  /** The status in Bitbucket's words; empty if it has none. */
  readonly status: string
  /** Whether Bitbucket gives it no further step. */
  readonly isCordoned: boolean
  /** The UUID of its step, or another text if the step has none; undefined while it has no step. */
  readonly step: string | undefined
  readonly createdAt: Instant | undefined
}

/** Returns undefined for a value that is no runner. */
export function readRunner(value: unknown): ListedRunner | undefined {
  const id = textAt(value, 'uuid')
  if (!id) return undefined
  const status = textAt(value, 'state', 'status') ?? ''
  return {
    id,
    name: textAt(value, 'name') ?? '',
    labels: listAt(value, 'labels').flatMap(readLabel),
    status,
    isCordoned: status === 'DISABLED' || valueAt(value, 'state', 'cordoned') === true,
    step: readStep(valueAt(value, 'state', 'step')),
    createdAt: timeAt(value, 'created_on'),
  }
}

/** An idle runner has no step, or null. */
function readStep(step: unknown): string | undefined {
  if (step === undefined || step === null) return undefined
  return textAt(step, 'uuid') ?? 'unknown'
}

function readLabel(label: unknown): readonly string[] {
  const text = typeof label === 'string' ? label : textAt(label, 'name')
  return text === undefined ? [] : [text]
}

export type Page = {
  readonly runners: readonly ListedRunner[]
  /** The number of runners on all pages; undefined if Bitbucket does not say. */
  readonly size: number | undefined
  /** The address of the next page; undefined on the last one. */
  readonly next: string | undefined
}

/** Returns undefined unless the value is a page of which every entry is a runner. */
export function readPage(value: unknown): Page | undefined {
  if (!isJsonObject(value) || !Array.isArray(value['values'])) return undefined
  const runners = value['values'].map(readRunner)
  const all = runners.filter((runner) => runner !== undefined)
  if (all.length < runners.length) return undefined
  return { runners: all, size: numberAt(value, 'size'), next: textAt(value, 'next') }
}

/** `DISABLED` and `ENABLED` hide whether the runner is connected. */
export function registrationOf({ id, name, status, step, isCordoned }: ListedRunner): Registration {
  const isBusy = step !== undefined
  const online = status === 'ONLINE' || isBusy
  const offline = ['UNREGISTERED', 'OFFLINE', 'UNHEALTHY'].includes(status)
  return { id, name, status: online ? 'online' : offline ? 'offline' : 'unknown', busy: isBusy, isCordoned }
}
