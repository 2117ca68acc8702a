// Keeps the past of the page in a folder while this process leads: the next leader then finds it there.
import type { History } from '@dayfly/dashboard/history/history'
import { folderFiles, thisProcess } from '@dayfly/dashboard/store/folder-files'
import { openStore, type Store } from '@dayfly/dashboard/store/store'
import type { Clock } from '@dayfly/kit/clock'
import type { Journal } from '../journal.ts'

export type KeptHistory = {
  readonly folder: string
  readonly days: number
  readonly megabytes: number
}

type Keeping = {
  /** Returns an empty history, which the journal feeds from now on. The store reads into it the past that another leader kept. */
  readonly fresh: () => History
  readonly journal: Journal
  readonly clock: Clock
}

/** How often a new warning of the store is looked for, in milliseconds. */
const warningsMs = 10_000

/** Opens the folder with each term of leadership, and closes it with its end. Returns how to end that. */
export function keepHistory({ folder, days, megabytes }: KeptHistory, keeping: Keeping): () => Promise<void> {
  const { fresh, journal, clock } = keeping
  const reported = new Set<string>()
  let store: Promise<Store> | undefined
  // The next term may begin before the folder of this one is released.
  let closed: Promise<void> = Promise.resolve()
  const close = () => {
    const open = store
    store = undefined
    closed = closed.then(async () => (await open)?.close())
    return closed
  }
  const report = async () => {
    for (const message of (await store)?.warnings() ?? []) {
      if (reported.has(message)) continue
      reported.add(message)
      journal.write({ kind: 'history-failed', message })
    }
  }
  const unsubscribe = journal.subscribe(({ event }) => {
    if (event.kind === 'leadership-lost') void close()
    if (event.kind !== 'leadership-gained' || store) return
    const history = fresh()
    const options = { files: folderFiles(folder), clock, owner: thisProcess(), days, megabytes }
    store = closed.then(() => openStore(options, history))
    void store.then(report)
  })
  let timer = clock.after(warningsMs, function look() {
    void report()
    timer = clock.after(warningsMs, look)
  })
  return async () => {
    unsubscribe()
    timer.cancel()
    await close()
  }
}
