// The first line of the page, in words.
import type { Head } from '../model/set-now.ts'
import { useStore } from './store.ts'

const signs: Readonly<Record<Head['tone'], string>> = { calm: '✓', waiting: '…', wrong: '!' }
const meanings: Readonly<Record<Head['tone'], string>> = {
  calm: 'All is well. ',
  waiting: 'Jobs wait. ',
  wrong: 'Something is wrong. ',
}

export function FirstLine() {
  const head = useStore().head.value
  if (head === null) return null
  return (
    <div class={`first-line ${head.tone}`}>
      <span class="first-sign" aria-hidden="true">
        {signs[head.tone]}
      </span>
      <h1 id="title" tabIndex={-1}>
        <span class="unseen">{meanings[head.tone]}</span>
        {head.sentence}
      </h1>
    </div>
  )
}
