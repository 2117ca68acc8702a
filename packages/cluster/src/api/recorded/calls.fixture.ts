// The calls to a real API server and its answers, as data: calls.jsonl. The same calls are played on a real cluster and on the
// embedded one, in their order: later calls see the objects of earlier ones. A new line needs only a title and a call.
import { readFileSync } from 'node:fs'
import type { Method } from '@dayfly/kit/http'

/** `$NS` is the namespace of the run. */
export type Call = {
  readonly method: Method
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** PATCH only: the Content-Type. */
  readonly type?: string
  /** PUT only: sends the current object with these JSON patch operations applied. */
  readonly change?: readonly object[]
  /** Repeats the call until the answer contains this text. Controllers add some fields later. */
  readonly until?: string
  /** Later calls may use the resourceVersion of this list as `$VERSION` in their query. */
  readonly remember?: true
  /** Keeps `metadata.managedFields` of the answer. */
  readonly owners?: true
  /** The number of events to read from a watch. */
  readonly take?: number
}

export type CallAnswer = {
  readonly status: number
  readonly body: unknown
  readonly warnings?: readonly string[]
}

export type Exchange = {
  /** Unique. */
  readonly title: string
  readonly call: Call
  readonly answer: CallAnswer
}

export const callsFile = new URL('calls.jsonl', import.meta.url)

export const exchanges: readonly Exchange[] = readFileSync(callsFile, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Exchange)
