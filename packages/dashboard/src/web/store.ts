// All parts of the page share this: the state, signals that say what changed, the server's time, and the connection.
import type { Clock, Instant } from '@dayfly/kit/clock'
import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Entities, EntityKind } from '../model/page-state.ts'
import type { Head } from '../model/set-now.ts'
import type { Ask, TokenStore } from './browser.ts'
import { follow, type Problem, type Sink, silenceMaxMs } from './connection.ts'
import { applyChanges, applySnapshot, emptyState, type PageState, type Touched } from './page-state.ts'
import { parseRoute, type Route } from './route.ts'

/** Changes of this time are drawn together: a busy server sends more of them than anyone can see. */
const gatherMs = 100

export type Link = {
  /** The server's time. Null before the first answer. */
  readonly heardAt: Instant | null
  readonly problem: Problem | null
}

export type Store = {
  readonly ask: Ask
  readonly clock: Clock
  readonly route: Signal<Route>
  /** The server's time. It ticks each second. */
  readonly now: Signal<Instant>
  readonly head: Signal<Head | null>
  readonly link: Signal<Link>
  /** Nothing arrived for too long: values are old. */
  readonly isLost: ReadonlySignal<boolean>
  /** Returns the table of a kind, and draws the caller again when it changes. */
  all<Kind extends EntityKind>(kind: Kind): ReadonlyMap<string, Entities[Kind]>
  marks(): PageState['marks']
  start(): void
  hasToken(): boolean
  useToken(token: string): void
}

export function createStore(deps: { readonly ask: Ask; readonly clock: Clock; readonly token: TokenStore }): Store {
  const { ask, clock, token } = deps
  const state = emptyState()
  const { tables } = state
  const revision = { sets: signal(0), lives: signal(0), jobs: signal(0), failures: signal(0), marks: signal(0) }
  const route = signal(parseRoute(''))
  const now = signal(clock.now())
  const head = signal<Head | null>(null)
  const link = signal<Link>({ heardAt: null, problem: null })
  const isLost = computed(() => link.value.heardAt !== null && now.value - link.value.heardAt > silenceMaxMs)
  const show = (touched: ReadonlySet<Touched>) =>
    batch(() => {
      for (const one of touched) {
        if (one === 'head') head.value = state.head
        else revision[one].value++
      }
    })
  const sink = createSink(state, { clock, now, link, show })
  let following = new AbortController()
  // A new token may come while the old stream still waits for its next attempt.
  const start = () => {
    following.abort()
    following = new AbortController()
    void follow({ ask, clock }, sink, following.signal)
  }
  const all: Store['all'] = (kind) => {
    void revision[kind].value
    return tables[kind]
  }
  const marks = () => {
    void revision.marks.value
    return state.marks
  }
  const hasToken = () => token.read() !== null
  const useToken = (text: string) => {
    token.write(text)
    link.value = { ...link.value, problem: null }
    start()
  }
  return { ask, clock, route, now, head, link, isLost, all, marks, start, hasToken, useToken }
}

type Shown = {
  readonly clock: Clock
  readonly now: Signal<Instant>
  readonly link: Signal<Link>
  readonly show: (touched: ReadonlySet<Touched>) => void
}

/** Applies what arrives at once, and shows it a little later. Keeps the server's time. */
function createSink(state: PageState, { clock, now, link, show }: Shown): Sink {
  let ahead = 0
  let unseen = new Set<Touched>()
  const setTime = (at: Instant) => {
    ahead = at - clock.now()
  }
  const tick = () => {
    now.value = clock.now() + ahead
    clock.after(1_000, tick)
  }
  const showUnseen = () => {
    const touched = unseen
    unseen = new Set()
    show(touched)
  }
  const touch = (touched: readonly Touched[], at: Instant) => {
    setTime(at)
    if (unseen.size === 0 && touched.length > 0) clock.after(gatherMs, showUnseen)
    for (const one of touched) unseen.add(one)
  }
  tick()
  return {
    version: () => state.version,
    snapshot(snapshot) {
      touch(applySnapshot(state, snapshot), snapshot.at)
      now.value = snapshot.at
    },
    changes: (changes) => touch(applyChanges(state, changes), changes.at),
    beat: setTime,
    heard() {
      const at = clock.now() + ahead
      const { heardAt, problem } = link.value
      // A signal that changed with each message would draw the page with each message.
      if (problem === null && heardAt !== null && at - heardAt < 1_000) return
      link.value = { heardAt: at, problem: null }
    },
    problem(problem) {
      link.value = { heardAt: link.value.heardAt, problem }
    },
  }
}

export const StoreContext = createContext<Store | null>(null)

export function useStore(): Store {
  const store = useContext(StoreContext)
  if (store === null) throw new Error('the page has no store')
  return store
}
