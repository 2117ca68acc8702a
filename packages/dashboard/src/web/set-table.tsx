// All sets in one table. A row is drawn again only when its set changes.
import { useMemo } from 'preact/hooks'
import { faultsOf, type SetNow } from '../model/set-now.ts'
import { count } from './format.ts'
import { Badge, Note, OldMark, Section } from './parts.tsx'
import { setAddress } from './route.ts'
import { ShowMore } from './show-more.tsx'
import { useStore } from './store.ts'

export function SetTable() {
  const sets = [...useStore().all('sets').values()].sort(byUrgency)
  const wrong = sets.filter((set) => faultsOf(set).length > 0).length
  const aside = wrong === 0 ? null : <Badge mood="warning">{`${wrong} of ${sets.length} with a problem`}</Badge>
  return (
    <Section id="sets" title="Sets" aside={aside}>
      {sets.length === 0 ? (
        <Note>
          No runner set exists yet. Create one with <code>kubectl apply</code>, and it appears here at once.
        </Note>
      ) : (
        <div class="table-box">
          <table class="stack sets">
            <thead>
              <tr>
                <th scope="col">Set</th>
                <th scope="col" class="number" title="Jobs that wait or run">
                  Demand
                </th>
                <th scope="col" class="number" title="Runners that the set should have">
                  Wanted
                </th>
                <th scope="col" class="number">
                  Starting
                </th>
                <th scope="col" class="number">
                  Idle
                </th>
                <th scope="col" class="number">
                  Busy
                </th>
                <th scope="col" class="number">
                  Max
                </th>
                <th scope="col" class="number" title="Failures in a row">
                  Failed in a row
                </th>
                <th scope="col" class="number">
                  At the forge
                </th>
                <th scope="col">State</th>
              </tr>
            </thead>
            <ShowMore items={sets} first={25} as="tbody" columns={10}>
              {(set) => <SetRow key={set.id} set={set} />}
            </ShowMore>
          </table>
        </div>
      )}
    </Section>
  )
}

function SetRow({ set }: { readonly set: SetNow }) {
  return useMemo(
    () => (
      <tr class={faultsOf(set).length > 0 ? 'wrong' : undefined}>
        <th scope="row">
          <a href={setAddress(set.id)}>{set.id}</a> <OldMark at={set.oldSince} />
        </th>
        <Numbers set={set} />
        <td data-name="At the forge" class="number">
          {set.forgeNumbers === null ? '?' : count(set.forgeNumbers.registered)}
          {set.difference === null ? null : (
            <span class="differs">
              {' '}
              ≠<span class="unseen"> differs from ours</span>
            </span>
          )}
        </td>
        <td data-name="State" class="state">
          <SetState set={set} />
          {set.difference === null ? null : <p class="soft">≠ {set.difference.sentence}</p>}
        </td>
      </tr>
    ),
    [set],
  )
}

function Numbers({ set }: { readonly set: SetNow }) {
  const { counts } = set
  const cells: readonly (readonly [string, number | null])[] = [
    ['Demand', set.demand],
    ['Wanted', set.wanted],
    ['Starting', counts?.starting ?? null],
    ['Idle', counts?.idle ?? null],
    ['Busy', counts?.busy ?? null],
    ['Max', set.max],
    ['Failed in a row', set.failuresInARow],
  ]
  return (
    <>
      {cells.map(([name, value]) => (
        <td key={name} data-name={name} class={value === 0 ? 'number zero' : 'number'}>
          {count(value)}
        </td>
      ))}
    </>
  )
}

export function SetState({ set }: { readonly set: SetNow }) {
  const [problem] = set.problems
  if (set.deleting) return <Badge mood="calm">Is being deleted</Badge>
  if (problem) return <Badge mood="warning">{problem.sentence}</Badge>
  if (set.paused) return <Badge mood="calm">Paused</Badge>
  if (set.demand === null) return <Badge mood="unknown">Demand unknown</Badge>
  return <Badge mood="ok">Works</Badge>
}

/** Sets with problems come first. The rest keeps its order, so that rows do not jump. */
function byUrgency(a: SetNow, b: SetNow): number {
  return Number(b.problems.length > 0) - Number(a.problems.length > 0) || (a.id < b.id ? -1 : 1)
}
