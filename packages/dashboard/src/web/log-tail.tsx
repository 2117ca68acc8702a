// The last lines of a runner's log, while it runs.
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { checked } from './connection.ts'
import { readEvents } from './event-stream.ts'
import { useStore } from './store.ts'

const linesMax = 500

export function LogTail({ id }: { readonly id: string }) {
  const { ask } = useStore()
  const lines = useSignal<readonly string[]>([])
  const end = useSignal<string | null>(null)
  const box = useRef<HTMLPreElement>(null)
  useEffect(() => {
    const gone = new AbortController()
    let fresh: string[] = []
    // A runner may write thousands of lines in a second: they become visible once a frame.
    const show = () => {
      const { current } = box
      const isAtEnd = current === null || current.scrollHeight - current.scrollTop - current.clientHeight < 40
      lines.value = [...lines.value, ...fresh].slice(-linesMax)
      fresh = []
      if (isAtEnd) requestAnimationFrame(() => box.current?.scrollTo(0, box.current.scrollHeight))
    }
    const onEvent = ({ event, data }: { event: string; data: string }) => {
      if (event === 'end') end.value = String(JSON.parse(data))
      if (event !== 'line') return
      if (fresh.push(String(JSON.parse(data))) === 1) requestAnimationFrame(show)
      // A tab in the background draws no frame.
      if (fresh.length > 2 * linesMax) fresh = fresh.slice(-linesMax)
    }
    ask(`api/log?id=${encodeURIComponent(id)}`, gone.signal)
      .then(checked)
      .then((response) => readEvents(response, onEvent))
      .then(() => {
        end.value ??= 'The log ended.'
      })
      .catch((error: unknown) => {
        if (!gone.signal.aborted) end.value = error instanceof Error ? error.message : 'The log cannot be read.'
      })
    return () => gone.abort()
  }, [ask, id])
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls must have the focus of the keyboard */}
      <pre ref={box} class="log" role="log" tabIndex={0} aria-live="off" aria-label="The last lines of the log">
        {lines.value.length === 0 && end.value === null ? 'Waiting for the first line …' : lines.value.join('\n')}
      </pre>
      {end.value === null ? null : <p class="note">{end.value}</p>}
    </>
  )
}
