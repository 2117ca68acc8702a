// A list that begins short. Two hundred sets must not push the runners off the page.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { count } from './format.ts'

export function ShowMore<Item>(props: {
  readonly items: readonly Item[]
  readonly first: number
  readonly as?: 'div' | 'tbody'
  /** The columns of the table, if `as` is `tbody`. */
  readonly columns?: number
  readonly class?: string
  readonly children: (item: Item) => ComponentChildren
}) {
  const { items, first, columns = 1, as = 'div' } = props
  const isOpen = useSignal(false)
  const shown = isOpen.value ? items : items.slice(0, first)
  const button =
    items.length <= first ? null : (
      <button
        type="button"
        class="quiet"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value
        }}
      >
        {isOpen.value ? 'Show fewer' : `Show all ${count(items.length)}`}
      </button>
    )
  if (as === 'div') {
    return (
      <>
        <div class={props.class}>{shown.map(props.children)}</div>
        {button}
      </>
    )
  }
  return (
    <tbody>
      {shown.map(props.children)}
      {button === null ? null : (
        <tr key="more" class="more">
          <td colSpan={columns}>{button}</td>
        </tr>
      )}
    </tbody>
  )
}
