// What all parts of the page share: the state, signals that say what changed, the server's time, and the connection.
import type { Clock, Instant } from '@dayfly/kit/clock'
import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Entities, EntityKind } from '../model/page-state.ts'
import type { Head } from '../model/set-now.ts'
import type { Ask, TokenStore } from './browser.ts'
import { follow, type Problem, silenceMaxMs } from './connection.ts'
import { applyChanges, applySnapshot, emptyState, type PageState, type Touched } from './page-state.ts'
import { parseRoute, type Route } from './route.ts'

export type Link = {
  /** By the server's clock. Null before the first answer. */
  readonly heardAt: Instant | null
  readonly problem: Problem | null
}

export type Store = {
  readonly ask: Ask
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
  /** Counts the changes of lives, for what draws itself. */
  readonly livesChanged: ReadonlySignal<number>
  start(): void
  useToken(token: string): void
}

export function createStore(deps: { readonly ask: Ask; readonly clock: Clock; readonly token: TokenStore }): Store {
  const { ask, clock, token } = deps
  const state = emptyState()
  const revision = { sets: signal(0), lives: signal(0), jobs: signal(0), failures: signal(0), marks: signal(0) }
  const route = signal(parseRoute(''))
  const now = signal(clock.now())
  const head = signal<Head | null>(null)
  const link = signal<Link>({ heardAt: null, problem: null })
  const { tables } = state
  let ahead = 0

  const touch = (touched: readonly Touched[], at: Instant) =>
    batch(() => {
      setTime(at)
      for (const one of touched) {
        if (one === 'head') head.value = state.head
        else revision[one].value++
      }
    })
  const setTime = (at: Instant) => {
    ahead = at - clock.now()
  }
  const tick = () => {
    now.value = clock.now() + ahead
    clock.after(1_000, tick)
  }
  const heard = () => {
    const at = clock.now() + ahead
    const { heardAt, problem } = link.value
    // A signal that changed with each message would draw the page with each message.
    if (problem === null && heardAt !== null && at - heardAt < 1_000) return
    link.value = { heardAt: at, problem: null }
  }
  const start = () => {
    const sink = {
      version: () => state.version,
      snapshot: (snapshot: Parameters<typeof applySnapshot>[1]) => touch(applySnapshot(state, snapshot), snapshot.at),
      changes: (changes: Parameters<typeof applyChanges>[1]) => touch(applyChanges(state, changes), changes.at),
      beat: setTime,
      heard,
      problem: (problem: Problem) => {
        link.value = { heardAt: link.value.heardAt, problem }
      },
    }
    void follow({ ask, clock }, sink, new AbortController().signal)
  }
  const isLost = computed(() => link.value.heardAt !== null && now.value - link.value.heardAt > silenceMaxMs)
  tick()
  return {
    ask,
    route,
    now,
    head,
    link,
    isLost,
    all: (kind) => {
      void revision[kind].value
      return tables[kind]
    },
    marks: () => {
      void revision.marks.value
      return state.marks
    },
    livesChanged: revision.lives,
    start,
    useToken: (text) => {
      token.write(text)
      link.value = { ...link.value, problem: null }
      start()
    },
  }
}

export const StoreContext = createContext<Store | null>(null)

export function useStore(): Store {
  const store = useContext(StoreContext)
  if (store === null) throw new Error('the page has no store')
  return store
}
