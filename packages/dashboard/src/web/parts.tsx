// Small parts that all pages share.
import type { Instant } from '@dayfly/kit/clock'
import type { ComponentChildren } from 'preact'
import type { Words } from '../model/life.ts'
import { ago, duration, inTime, timeOfDay } from './format.ts'
import { useStore } from './store.ts'

const oldMs = 30_000

/** Counts up each second. It alone is drawn again, not what surrounds it. */
export function Ago({ at }: { readonly at: Instant }) {
  const now = useStore().now.value
  return (
    <time dateTime={new Date(at).toISOString()} title={timeOfDay(at, now)}>
      {ago(at, now)}
    </time>
  )
}

/** Shows how long something has lasted. */
export function Since({ at }: { readonly at: Instant }) {
  return <>{duration(Math.max(0, useStore().now.value - at))}</>
}

export function In({ at }: { readonly at: Instant }) {
  return <>{inTime(at, useStore().now.value)}</>
}

export function At({ at }: { readonly at: Instant | null }) {
  return <>{timeOfDay(at, useStore().now.value)}</>
}

/** Shows the age of a value that is old, and nothing otherwise. */
export function OldMark({ at }: { readonly at: Instant | null }) {
  const age = useStore().now.value - (at ?? Number.POSITIVE_INFINITY)
  return age > oldMs ? <span class="old">{duration(age)} old</span> : null
}

export function Page({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <>
      <h1 id="title" tabIndex={-1}>
        {title}
      </h1>
      {children}
    </>
  )
}

export function Section(props: {
  readonly id: string
  readonly title: string
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
}) {
  return (
    <section aria-labelledby={props.id}>
      <div class="section-head">
        <h2 id={props.id}>{props.title}</h2>
        {props.aside}
      </div>
      {props.children}
    </section>
  )
}

export function Note({ children }: { readonly children: ComponentChildren }) {
  return <p class="note">{children}</p>
}

export type Mood = 'ok' | 'warning' | 'failed' | 'unknown' | 'calm'
const signs: Readonly<Record<Mood, string>> = { ok: '✓', warning: '!', failed: '✕', unknown: '?', calm: '·' }

/** A word with a sign, because a colour alone says nothing to many readers. */
export function Badge({ mood, children }: { readonly mood: Mood; readonly children: ComponentChildren }) {
  return (
    <span class={`badge ${mood}`}>
      <span aria-hidden="true">{signs[mood]}</span> {children}
    </span>
  )
}

/** A reason with its sentence, what was observed, and the next step. */
export function Reason({ words, mood = 'warning' }: { readonly words: Words; readonly mood?: Mood }) {
  return (
    <div class={`reason ${mood}`}>
      <p class="reason-sentence">{words.sentence}</p>
      {words.detail === '' ? null : <p class="reason-detail">{words.detail}</p>}
      <p>
        <strong>Next: </strong>
        {words.next}
      </p>
      <GuideLink reason={words.reason} />
    </div>
  )
}

/** Each reason of Dayfly's table has a section in the guide. A reason in another form comes from elsewhere. */
export function GuideLink({ reason }: { readonly reason: string }) {
  if (!/^[a-z]+(-[a-z]+)*$/.test(reason)) return null
  return (
    <a href={`https://dayfly.dev/troubleshooting#${reason}`} rel="noreferrer">
      Guide: {reason}
    </a>
  )
}
