// One set: its numbers beside those of the forge, its problems and conditions, and its runners.
import { useState } from 'preact/hooks'
import type { ConditionShown, SetNow } from '../model/set-now.ts'
import { Bars } from './bars.tsx'
import { chosenLives } from './filter.ts'
import { count, duration } from './format.ts'
import { Ago, At, Badge, In, type Mood, Note, OldMark, Page, Reason, Section, Since } from './parts.tsx'
import { noFilter, nowAddress, type Zoom } from './route.ts'
import { RunnerTable } from './runner-table.tsx'
import { SetState } from './set-table.tsx'
import { useStore } from './store.ts'
import { OutsideLink } from './waiting.tsx'

export function SetPage({ id }: { readonly id: string }) {
  const set = useStore().all('sets').get(id)
  return (
    <Page title={`Set ${id}`}>
      {set === undefined ? (
        <Note>
          No set has this name now. It may have been deleted. <a href="#/">Show what happens now</a>
        </Note>
      ) : (
        <>
          <Summary set={set} />
          {set.problems.map((words) => (
            <Reason key={words.reason} words={words} />
          ))}
          <Comparison set={set} />
          <Conditions conditions={set.conditions} />
        </>
      )}
      <Runners id={id} />
    </Page>
  )
}

function Summary({ set }: { readonly set: SetNow }) {
  return (
    <>
      <p class="line">
        <SetState set={set} /> <OldMark at={set.oldSince} />
      </p>
      {set.why === null ? null : (
        <p>
          {set.why}
          {set.nextStartAt === null ? null : (
            <>
              {' '}
              Next start: <In at={set.nextStartAt} />.
            </>
          )}
        </p>
      )}
      <dl class="facts">
        <div>
          <dt>Forge</dt>
          <dd>
            <OutsideLink url={set.url} text={set.url || set.forge || '?'} />
          </dd>
        </div>
        <div>
          <dt>Labels for runs-on</dt>
          <dd>{set.labels.join(', ') || '–'}</dd>
        </div>
        <div>
          <dt>Runners</dt>
          <dd>{set.isValid ? `${set.min} to ${set.max}` : '?'}</dd>
        </div>
        <div>
          <dt>Longest wait</dt>
          <dd>{set.oldestQueuedAt === null ? '–' : <Since at={set.oldestQueuedAt} />}</dd>
        </div>
        <div>
          <dt>Objective of the queue time</dt>
          <dd>{set.objectiveMs === null ? 'not set' : duration(set.objectiveMs)}</dd>
        </div>
      </dl>
    </>
  )
}

/** Our numbers and the forge's, side by side. A difference is explained, because both can be right for a moment. */
function Comparison({ set }: { readonly set: SetNow }) {
  const { counts, forgeNumbers: forge, difference } = set
  const live = counts === null ? null : counts.starting + counts.idle + counts.busy + counts.ending
  return (
    <Section id="numbers" title="Our numbers and the forge's">
      <div class="table-box narrow">
        <table>
          <thead>
            <tr>
              <td />
              <th scope="col" class="number">
                Dayfly
              </th>
              <th scope="col" class="number">
                Forge
              </th>
            </tr>
          </thead>
          <tbody>
            <Pair name="Runners" ours={live} theirs={forge?.registered ?? null} />
            <Pair name="Busy" ours={counts?.busy ?? null} theirs={forge?.busy ?? null} />
            <Pair name="Starting" ours={counts?.starting ?? null} />
            <Pair name="Idle" ours={counts?.idle ?? null} />
            <Pair name="Ending" ours={counts?.ending ?? null} />
            <Pair name="Wanted" ours={set.wanted} />
            <Pair name="Demand: jobs that wait or run" theirs={set.demand} />
            <Pair name="Jobs without a runner" ours={set.waiting} />
            <Pair name="Failed starts in a row" ours={set.failuresInARow} />
          </tbody>
        </table>
      </div>
      {difference === null ? null : (
        <div class="reason warning">
          <p class="reason-sentence">The numbers have differed for {<Since at={difference.since} />}.</p>
          <p>{difference.sentence}</p>
        </div>
      )}
      <p class="soft">
        {forge === null ? (
          'The forge has not reported its runners yet.'
        ) : (
          <>
            The forge reported its numbers <Ago at={forge.at} />. A starting runner registers some seconds after its
            pod.
          </>
        )}
      </p>
    </Section>
  )
}

function Pair(props: { readonly name: string; readonly ours?: number | null; readonly theirs?: number | null }) {
  const { name, ours, theirs } = props
  return (
    <tr>
      <th scope="row">{name}</th>
      <td class="number">{ours === undefined ? '' : count(ours)}</td>
      <td class="number">{theirs === undefined ? '' : count(theirs)}</td>
    </tr>
  )
}

function Conditions({ conditions }: { readonly conditions: readonly ConditionShown[] }) {
  if (conditions.length === 0) return null
  return (
    <Section id="conditions" title="Conditions">
      <ul class="lines">
        {conditions.map((condition) => (
          <li key={condition.type}>
            <Badge mood={moodOf(condition)}>{condition.type}</Badge>
            <span>
              {condition.message || condition.reason}{' '}
              <span class="soft">
                {condition.status === 'Unknown' ? 'unknown' : condition.status.toLowerCase()} since{' '}
                <At at={condition.since} />
              </span>
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}

/** `Degraded` is good when it is false. */
function moodOf({ type, status }: ConditionShown): Mood {
  if (status === 'Unknown') return 'unknown'
  const isGood = (status === 'True') !== (type === 'Degraded')
  return isGood ? 'ok' : 'warning'
}

function Runners({ id }: { readonly id: string }) {
  const [zoom, setZoom] = useState<Zoom>('15min')
  const lives = chosenLives(useStore().all('lives').values(), { ...noFilter, set: id })
  return (
    <Section
      id="runners"
      title="Runners"
      aside={<a href={nowAddress({ ...noFilter, set: id })}>Filter these runners</a>}
    >
      <Bars lives={lives} set={id} zoom={zoom} onZoom={setZoom} />
      <RunnerTable lives={lives} none="This set has no runner now. One starts when a job waits." />
    </Section>
  )
}
