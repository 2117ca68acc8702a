// Asks the server for what the snapshot does not have, and shows each state of the answer.
import { type Signal, useComputed, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { askJson, Unauthorized } from './connection.ts'
import { useStore } from './store.ts'

export type Answer<Value> =
  | { readonly is: 'loading' }
  | { readonly is: 'failed'; readonly sentence: string }
  | { readonly is: 'here'; readonly value: Value }

/** Asks again whenever the path changes, and each `everyMs`. An answer that fails later leaves the last one. */
export function useAnswer<Value>(path: string | null, everyMs = 0): Signal<Answer<Value>> {
  const { ask, link, now } = useStore()
  const answer = useSignal<Answer<Value>>({ is: 'loading' })
  const round = useComputed(() => (everyMs > 0 ? Math.floor(now.value / everyMs) : 0)).value
  useEffect(() => {
    answer.value = { is: 'loading' }
  }, [path])
  useEffect(() => {
    if (path === null) return
    const gone = new AbortController()
    askJson<Value>(ask, path, gone.signal).then(
      (value) => {
        answer.value = { is: 'here', value }
      },
      (error: unknown) => {
        if (gone.signal.aborted) return
        if (error instanceof Unauthorized) link.value = { ...link.value, problem: { is: 'unauthorized' } }
        if (answer.value.is !== 'here') answer.value = { is: 'failed', sentence: sentenceOf(error) }
      },
    )
    return () => gone.abort()
  }, [path, round])
  return answer
}

export function Answered<Value>(props: {
  readonly of: Answer<Value>
  readonly children: (value: Value) => ComponentChildren
}) {
  const { of: answer } = props
  if (answer.is === 'here') return <>{props.children(answer.value)}</>
  if (answer.is === 'loading') return <Loading />
  return (
    <div class="reason failed" role="alert">
      <p class="reason-sentence">The server did not give an answer.</p>
      <p>{answer.sentence}</p>
      <p>
        <strong>Next: </strong>Load the page again. If this stays, look at the log of the controller.
      </p>
    </div>
  )
}

/** A shape instead of a spinner: it moves nothing. */
export function Loading() {
  return (
    <div class="loading" role="status">
      <span>Loading …</span>
    </div>
  )
}

function sentenceOf(error: unknown): string {
  return error instanceof Error && !(error instanceof TypeError) ? error.message : 'The server does not answer.'
}
