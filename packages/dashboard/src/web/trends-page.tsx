// Queue times of the past, and which repositories wait more than their share. The chart is loaded only here.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { QueueTimes, Trends, WindowName } from '../model/trends.ts'
import { Answered, useAnswer } from './answer.tsx'
import { Changes } from './bar-legend.tsx'
import { count, duration, share } from './format.ts'
import { Note, Page, Section } from './parts.tsx'
import { setAddress } from './route.ts'
import { useStore } from './store.ts'
import { Incomplete, WindowChoice } from './window-choice.tsx'

export function TrendsPage({ window }: { readonly window: WindowName }) {
  const answer = useAnswer<Trends>(`api/trends?window=${window}`, 30_000)
  return (
    <Page title="Trends">
      <WindowChoice page="trends" window={window} />
      <Answered of={answer.value}>{(trends) => <Shown trends={trends} />}</Answered>
    </Page>
  )
}

function Shown({ trends }: { readonly trends: Trends }) {
  const { all } = trends
  const marks = useStore()
    .marks()
    .filter((mark) => mark.at >= trends.from && mark.at <= trends.to)
  return (
    <>
      <Incomplete before={trends.incompleteBefore} />
      <Section id="queue-time" title="Queue time">
        {all.jobs === 0 ? (
          <Note>No job started in this time, so there is no queue time.</Note>
        ) : (
          <>
            <p>
              Half of {count(all.jobs)} jobs had a runner within <strong>{duration(all.p50)}</strong>, 95 of 100 within{' '}
              <strong>{duration(all.p95)}</strong>, and 99 of 100 within <strong>{duration(all.p99)}</strong>.
            </p>
            <LazyChart trends={trends} />
            <Changes marks={marks} />
          </>
        )}
      </Section>
      <Section id="by-set" title="By set">
        <SetTimes sets={trends.sets} />
      </Section>
      <Section id="by-repository" title="By repository">
        <p class="soft">A repository whose share of waiting is far above its share of capacity waits for the others.</p>
        <RepositoryTimes repositories={trends.repositories} />
      </Section>
    </>
  )
}

type Chart = typeof import('./chart.tsx').Chart

function LazyChart({ trends }: { readonly trends: Trends }) {
  const chart = useSignal<{ readonly Chart: Chart } | 'loading' | 'failed'>('loading')
  useEffect(() => {
    import('./chart.tsx').then(
      ({ Chart }) => {
        chart.value = { Chart }
      },
      () => {
        chart.value = 'failed'
      },
    )
  }, [chart])
  const { value } = chart
  if (value === 'failed') return <Note>The chart could not be loaded. The tables below have the same values.</Note>
  if (value === 'loading') return <div class="chart" />
  return <value.Chart trends={trends} />
}

function SetTimes({ sets }: { readonly sets: Trends['sets'] }) {
  if (sets.length === 0) return <Note>No set had a job in this time.</Note>
  return (
    <div class="table-box">
      <table class="stack">
        <thead>
          <tr>
            <th scope="col">Set</th>
            <TimeHeads />
            <th scope="col" class="number">
              Objective
            </th>
            <th scope="col" class="number">
              Within it
            </th>
          </tr>
        </thead>
        <tbody>
          {sets.map((set) => (
            <tr key={set.set}>
              <th scope="row">
                <a href={setAddress(set.set)}>{set.set}</a>
              </th>
              <TimeCells times={set} />
              <td data-name="Objective" class="number">
                {set.objectiveMs === null ? 'not set' : duration(set.objectiveMs)}
              </td>
              <td data-name="Within it" class="number">
                {set.objectiveMs === null ? '–' : share(set.withinObjective)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function RepositoryTimes({ repositories }: { readonly repositories: Trends['repositories'] }) {
  if (repositories.length === 0) return <Note>No repository had a job in this time.</Note>
  return (
    <div class="table-box">
      <table class="stack">
        <thead>
          <tr>
            <th scope="col">Repository</th>
            <TimeHeads />
            <th scope="col" class="number">
              Longest
            </th>
            <th scope="col">Share of waiting</th>
            <th scope="col">Share of capacity</th>
          </tr>
        </thead>
        <tbody>
          {repositories.map((one) => (
            <tr key={one.repository}>
              <th scope="row">{one.repository || '?'}</th>
              <TimeCells times={one} />
              <td data-name="Longest" class="number">
                {duration(one.longestMs)}
              </td>
              <td data-name="Share of waiting">
                <Meter value={one.waitingShare} kind="queue" />
              </td>
              <td data-name="Share of capacity">
                <Meter value={one.capacityShare} kind="job" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function TimeHeads() {
  return (
    <>
      {['Jobs', 'p50', 'p95', 'p99'].map((name) => (
        <th key={name} scope="col" class="number">
          {name}
        </th>
      ))}
    </>
  )
}

function TimeCells({ times }: { readonly times: QueueTimes }) {
  const cells = [
    ['Jobs', count(times.jobs)],
    ['p50', duration(times.p50)],
    ['p95', duration(times.p95)],
    ['p99', duration(times.p99)],
  ] as const
  return (
    <>
      {cells.map(([name, value]) => (
        <td key={name} data-name={name} class="number">
          {value}
        </td>
      ))}
    </>
  )
}

/** The number is text, so the bar is only a picture. */
function Meter({ value, kind }: { readonly value: number | null; readonly kind: 'queue' | 'job' }) {
  return (
    <span class="meter">
      <span class="meter-text">{share(value)}</span>
      <span class="meter-track" aria-hidden="true">
        <span class={`swatch ${kind}`} style={{ width: `${(value ?? 0) * 100}%` }} />
      </span>
    </span>
  )
}
