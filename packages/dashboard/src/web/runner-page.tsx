// One runner: what it does, its timeline, its containers, its Events, and its log while it runs.
import { useComputed } from '@preact/signals'
import type { ContainerShown, EventShown, RunnerDetail, TimelineStep } from '../model/details.ts'
import type { Life } from '../model/life.ts'
import { Answered, useAnswer } from './answer.tsx'
import { duration, spoken, unknown } from './format.ts'
import { LogTail } from './log-tail.tsx'
import { At, Badge, Note, Page, Reason, Section } from './parts.tsx'
import { setAddress } from './route.ts'
import { PhaseBadge } from './runner-table.tsx'
import { useStore } from './store.ts'
import { OutsideLink } from './waiting.tsx'

export function RunnerPage({ id }: { readonly id: string }) {
  const store = useStore()
  const isLive = useComputed(() => (store.all('lives').get(id)?.phase ?? 'gone') !== 'gone').value
  const answer = useAnswer<RunnerDetail>(`api/runner?id=${encodeURIComponent(id)}`, isLive ? 5_000 : 0)
  return (
    <Page title={`Runner ${id}`}>
      <Answered of={answer.value}>{(detail) => <Detail detail={detail} />}</Answered>
    </Page>
  )
}

function Detail({ detail }: { readonly detail: RunnerDetail }) {
  const { life, problem, unknown: notKnown } = detail
  return (
    <>
      <p class="sentences">{detail.sentences.join(' ')}</p>
      <Facts life={life} />
      {problem === null ? null : <Reason words={problem} mood="failed" />}
      {notKnown.map((sentence) => (
        <Note key={sentence}>{sentence}</Note>
      ))}
      <Section id="timeline" title="Timeline">
        <Timeline steps={detail.timeline} />
      </Section>
      <Section id="containers" title="Containers">
        <Containers containers={detail.containers} />
      </Section>
      <Section id="events" title="Events of Kubernetes">
        <Events events={detail.events} />
      </Section>
      <Section id="log" title="Log">
        {detail.hasLog ? (
          <LogTail id={life.id} />
        ) : (
          <Note>The log can be followed only while the runner runs. The pod and its log are gone afterwards.</Note>
        )}
      </Section>
    </>
  )
}

function Facts({ life }: { readonly life: Life }) {
  const { job, requests } = life
  const facts = [
    ['Phase', <PhaseBadge key="phase" life={life} />],
    [
      'Set',
      <a key="set" href={setAddress(life.set)}>
        {life.set}
      </a>,
    ],
    ['Job', job === null ? 'none yet' : <OutsideLink key="job" url={job.url ?? ''} text={job.name} />],
    ['Repository', job === null ? null : job.repository || unknown],
    ['Workflow', job?.workflow ?? null],
    ['Branch', job?.ref ?? null],
    ['Result', life.result === null ? null : spoken(life.result)],
    ['Node', life.node],
    ['Exit code', life.exitCode === null ? null : String(life.exitCode)],
    ['Requests', requests === null ? null : `${requests.cpu} CPU, ${requests.memoryGib} GiB`],
  ] as const
  return (
    <dl class="facts">
      {facts.map(([name, value]) =>
        value === null ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  )
}

function Timeline({ steps }: { readonly steps: readonly TimelineStep[] }) {
  const longest = Math.max(1, ...steps.map(({ tookMs }) => tookMs ?? 0))
  if (steps.length === 0) return <Note>Nothing of this runner has been seen yet.</Note>
  return (
    <ol class="timeline">
      {steps.map((step) => (
        <li key={step.name} class={step.unusual ? 'unusual' : undefined}>
          <span class="step-name">{spoken(step.name)}</span>
          <span class="step-at">
            <At at={step.at} />
          </span>
          <span class="step-bar" aria-hidden="true">
            {step.tookMs === null ? null : <span style={{ width: `${(step.tookMs / longest) * 100}%` }} />}
          </span>
          <span class="step-took">
            {step.tookMs === null ? '' : `after ${duration(step.tookMs)}`}
            {step.unusual ? <Badge mood="warning">{`usually ${duration(step.usualMs)}`}</Badge> : null}
          </span>
        </li>
      ))}
    </ol>
  )
}

function Containers({ containers }: { readonly containers: readonly ContainerShown[] | null }) {
  if (containers === null) return <Note>The cluster did not answer, so the containers are unknown.</Note>
  if (containers.length === 0) return <Note>The pod has no container yet, or it is gone.</Note>
  return (
    <div class="table-box">
      <table class="stack">
        <thead>
          <tr>
            <th scope="col">Container</th>
            <th scope="col">Kind</th>
            <th scope="col">State</th>
            <th scope="col">Since</th>
            <th scope="col">Detail</th>
          </tr>
        </thead>
        <tbody>
          {containers.map((container) => (
            <tr key={container.name}>
              <th scope="row">{container.name}</th>
              <td data-name="Kind">{container.kind}</td>
              <td data-name="State">{container.state}</td>
              <td data-name="Since">
                <At at={container.since} />
              </td>
              <td data-name="Detail">{container.detail || '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Events({ events }: { readonly events: readonly EventShown[] | null }) {
  if (events === null) return <Note>The cluster did not answer, so the Events are unknown.</Note>
  if (events.length === 0) return <Note>Kubernetes has no Event of this runner. It keeps them for one hour.</Note>
  return (
    <ol class="events">
      {events.map((event) => (
        <li key={`${event.at} ${event.reason} ${event.message}`}>
          <span class="soft">
            <At at={event.at} />
          </span>
          <Badge mood={event.warning ? 'warning' : 'calm'}>{event.reason}</Badge>
          <span>
            {event.message}
            {event.count > 1 ? ` (${event.count} times)` : ''}
          </span>
        </li>
      ))}
    </ol>
  )
}
