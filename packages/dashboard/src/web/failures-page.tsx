// Failures grouped by reason: what failed, how often, since when, and what to do.
import type { FailureGroup } from '../model/life.ts'
import { counted, spoken } from './format.ts'
import { Ago, GuideLink, Note, Page } from './parts.tsx'
import { runnerAddress, setAddress } from './route.ts'
import { useStore } from './store.ts'

export function FailuresPage() {
  const { all, head } = useStore()
  const groups = [...groupsOf(all('failures').values()).values()].sort((a, b) => lastOf(b) - lastOf(a))
  const since = head.value?.since
  return (
    <Page title="Failures">
      {since === undefined ? null : (
        <p class="soft">
          Counted since <Ago at={since} />. Failures of jobs themselves are not here.
        </p>
      )}
      {groups.length === 0 ? <Note>No runner failed.</Note> : null}
      <div class="groups">
        {groups.map((group) => (
          <Group key={group[0]?.reason} group={group} />
        ))}
      </div>
    </Page>
  )
}

function Group({ group }: { readonly group: readonly FailureGroup[] }) {
  const [first] = group
  if (first === undefined) return null
  const total = group.reduce((sum, one) => sum + one.count, 0)
  return (
    <article class="card warning">
      <h2>{first.sentence}</h2>
      <p class="card-number">
        <strong>{counted(total, 'time')}</strong>, first <Ago at={Math.min(...group.map((one) => one.firstAt))} />, last{' '}
        <Ago at={lastOf(group)} />
      </p>
      {first.detail === '' ? null : <p class="reason-detail">{first.detail}</p>}
      <p>
        <strong>Next: </strong>
        {first.next}
      </p>
      <ul class="lines">
        {group.map((one) => (
          <li key={one.id}>
            <a href={setAddress(one.set)}>{one.set}</a>
            <span>
              {counted(one.count, 'time')}, last <Ago at={one.lastAt} />
              {one.runner === null ? null : (
                <>
                  {' '}
                  on <a href={runnerAddress(idOf(one.set, one.runner))}>{one.runner}</a>
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
      <p class="soft">
        {spoken(first.reason)}. <GuideLink reason={first.reason} />
      </p>
    </article>
  )
}

function groupsOf(failures: Iterable<FailureGroup>): ReadonlyMap<string, readonly FailureGroup[]> {
  const groups = new Map<string, FailureGroup[]>()
  for (const failure of failures) groups.set(failure.reason, [...(groups.get(failure.reason) ?? []), failure])
  return groups
}

/** A runner is in the namespace of its set. */
function idOf(set: string, runner: string): string {
  return runner.includes('/') ? runner : `${set.slice(0, set.indexOf('/'))}/${runner}`
}

function lastOf(group: readonly FailureGroup[]): number {
  return Math.max(...group.map((one) => one.lastAt))
}
