// The connection to the server: the line that says what is wrong, the form for a token, and the page before the first answer.
import { useComputed } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Loading } from './answer.tsx'
import { At, In, Since } from './parts.tsx'
import { useStore } from './store.ts'

/** Shown only when something is wrong. A screen reader hears it once. */
export function ConnectionLine() {
  const { link, isLost, head } = useStore()
  const { heardAt, problem } = link.value
  const isLoaded = useComputed(() => head.value !== null).value
  const unreachable = problem?.is === 'unreachable' && isLoaded ? problem : null
  const lost = isLost.value && heardAt !== null
  return (
    <div class="link-state" role="status">
      {lost ? (
        <p class="link-lost">
          <strong>Disconnected.</strong> The page shows the state of <At at={heardAt} />, <Since at={heardAt} /> ago. It
          connects again by itself.
        </p>
      ) : unreachable === null ? null : (
        <p class="link-retry">The connection was lost. The page connects again by itself. {unreachable.detail}</p>
      )}
    </div>
  )
}

export function FirstLoad() {
  const { problem } = useStore().link.value
  return (
    <>
      <h1 id="title" tabIndex={-1} class="unseen">
        Dayfly
      </h1>
      {problem?.is === 'unreachable' ? (
        <div class="reason failed" role="alert">
          <p class="reason-sentence">The page has no data yet.</p>
          <p>{problem.detail}</p>
          <p>
            The page tries again <In at={problem.retryAt} />.
          </p>
        </div>
      ) : (
        <Loading />
      )}
    </>
  )
}

/** The form is all that the page has, so its field takes the focus. */
export function TokenForm() {
  const store = useStore()
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const text = String(new FormData(event.currentTarget as HTMLFormElement).get('token') ?? '').trim()
    if (text !== '') store.useToken(text)
  }
  return (
    <form class="token" onSubmit={submit}>
      <h1 id="title" tabIndex={-1}>
        This page needs a token
      </h1>
      {store.hasToken() ? (
        <p class="reason failed" role="alert">
          The server refused the last token. It may have expired.
        </p>
      ) : null}
      <p>The operator of your cluster can give you one.</p>
      <label for="token">Token</label>
      <input ref={field} id="token" name="token" type="password" required autoComplete="off" />
      <p class="soft">The browser keeps it until you close this tab.</p>
      <button type="submit">Open</button>
    </form>
  )
}
