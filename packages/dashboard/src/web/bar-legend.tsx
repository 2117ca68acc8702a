// The legend of the textures, and the marks of the axis in words.
import type { Mark } from '../model/life.ts'
import { At } from './parts.tsx'

export function Legend() {
  const kinds = [
    ['queue', 'Queue'],
    ['start', 'Start'],
    ['idle', 'Idle'],
    ['job', 'Job'],
    ['end', 'End'],
  ] as const
  return (
    <ul class="legend" aria-label="Textures of the bars">
      {kinds.map(([kind, name]) => (
        <li key={kind}>
          <span class={`swatch ${kind}`} aria-hidden="true" /> {name}
        </li>
      ))}
      <li>
        <span class="cross" aria-hidden="true">
          ✕
        </span>{' '}
        Failed
      </li>
      <li>
        <span class="change" aria-hidden="true">
          ▼
        </span>{' '}
        Change
      </li>
    </ul>
  )
}

/** The marks of the axis in words. */
export function Changes({ marks }: { readonly marks: readonly Mark[] }) {
  if (marks.length === 0) return null
  const newest = [...marks].sort((a, b) => b.at - a.at)
  return (
    <details class="changes">
      <summary>{marks.length === 1 ? '1 change' : `${marks.length} changes`} in this time</summary>
      <ul>
        {newest.map((mark) => (
          <li key={`${mark.at} ${mark.sentence}`}>
            <At at={mark.at} /> – {mark.sentence}
          </li>
        ))}
      </ul>
    </details>
  )
}
