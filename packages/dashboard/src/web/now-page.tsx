// The first page: what waits and why, the sets, and the runners in time.
import { Bars } from './bars.tsx'
import { chosenLives, isFiltered } from './filter.ts'
import { Filters } from './filters.tsx'
import { FirstLine } from './first-line.tsx'
import { Section } from './parts.tsx'
import { type Filter, nowAddress } from './route.ts'
import { RunnerTable } from './runner-table.tsx'
import { SetTable } from './set-table.tsx'
import { useStore } from './store.ts'
import { Tiles } from './tiles.tsx'
import { Waiting } from './waiting.tsx'

const noRunner = 'No runner exists now. One starts when a job waits.'

export function NowPage({ filter }: { readonly filter: Filter }) {
  return (
    <>
      <FirstLine />
      <Tiles />
      <Waiting />
      <SetTable />
      <Runners filter={filter} />
    </>
  )
}

function Runners({ filter }: { readonly filter: Filter }) {
  const { all, route } = useStore()
  const lives = chosenLives(all('lives').values(), filter)
  // A filter replaces the entry of the history: Back leaves the page, not one letter.
  const change = (next: Filter) => {
    route.value = { page: 'now', filter: next }
    location.replace(nowAddress(next))
  }
  return (
    <Section id="runners" title="Runners">
      <Filters filter={filter} shown={lives.length} onChange={change} />
      <Bars lives={lives} set={filter.set} zoom={filter.zoom} onZoom={(zoom) => change({ ...filter, zoom })} />
      <RunnerTable lives={lives} none={isFiltered(filter) ? 'No runner matches the filters.' : noRunner} />
    </Section>
  )
}
