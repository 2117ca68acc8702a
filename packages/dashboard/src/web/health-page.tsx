// The health of Dayfly and of what it depends on. Red only where an operator can act.
import type { HealthLine } from '../model/set-now.ts'
import { At, Badge, Note, Page, Section } from './parts.tsx'
import { useStore } from './store.ts'

const order: readonly HealthLine['is'][] = ['failed', 'warning', 'unknown', 'ok']
const names: Readonly<Record<HealthLine['is'], string>> = {
  failed: 'Failed',
  warning: 'Warning',
  unknown: 'Unknown',
  ok: 'Works',
}

export function HealthPage() {
  const store = useStore()
  const head = store.head.value
  const lines = [...(head?.health ?? [])].sort((a, b) => order.indexOf(a.is) - order.indexOf(b.is))
  const marks = [...store.marks()].sort((a, b) => b.at - a.at).slice(0, 50)
  return (
    <Page title="Health">
      {lines.length === 0 ? <Note>The server reports no checks.</Note> : null}
      <ul class="lines health">
        {lines.map((line) => (
          <li key={line.name}>
            <Badge mood={line.is}>{names[line.is]}</Badge>
            <span>
              <strong>{line.name}</strong> {line.detail}
            </span>
          </li>
        ))}
      </ul>
      <Section id="changes" title="Changes">
        {marks.length === 0 ? <Note>Nothing changed since the history began.</Note> : null}
        <ul class="lines">
          {marks.map((mark) => (
            <li key={`${mark.at} ${mark.sentence}`}>
              <span class="soft">
                <At at={mark.at} />
              </span>
              <span>{mark.sentence}</span>
            </li>
          ))}
        </ul>
      </Section>
    </Page>
  )
}
