// The choice of the time that trends and costs cover.
import type { Instant } from '@dayfly/kit/clock'
import type { WindowName } from '../model/trends.ts'
import { At, Note } from './parts.tsx'
import { windowAddress, windows } from './route.ts'

const names: Readonly<Record<WindowName, string>> = { '1h': '1 hour', '24h': '24 hours', '7d': '7 days' }

export function WindowChoice({ page, window }: { readonly page: 'trends' | 'costs'; readonly window: WindowName }) {
  return (
    <nav class="choices" aria-label="Time that is shown">
      {windows.map((one) => (
        <a key={one} href={windowAddress(page, one)} aria-current={one === window ? 'true' : undefined}>
          {names[one]}
        </a>
      ))}
    </nav>
  )
}

export function Incomplete({ before }: { readonly before: Instant | null }) {
  if (before === null) return null
  return (
    <Note>
      The history begins at <At at={before} />. Earlier values are missing, not 0.
    </Note>
  )
}
