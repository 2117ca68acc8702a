// Serves the page over a large installation, with the real history and the real server.
import type { Clock } from '@dayfly/kit/clock'
import { httpServer } from '@dayfly/kit/http-server'
import { readAssets } from '../../packages/dashboard/src/server/assets.ts'
import { PageServer } from '../../packages/dashboard/src/server/page-server.ts'
import { pastOf } from '../../packages/dashboard/src/server/past.ts'
import { everything } from '../../packages/dashboard/src/server/scope.ts'
import type { PresentSource } from '../../packages/dashboard/src/server/source.ts'
import type { JournalWorld } from './journal-world.ts'
import { pageFolder } from './sample-server.ts'

export async function serveJournal(world: JournalWorld, clock: Clock) {
  const asset = await readAssets(pageFolder)
  if (!asset) throw new Error(`the page is not built in ${pageFolder}: run npm run build`)
  const present: PresentSource = {
    sets: () => world.sets(clock.now()),
    health: () => [],
    limits: [],
    runner: async () => ({
      ...{ sentences: [], problem: null, containers: null, events: null, scheduledAt: null, pulledAt: null },
      ...{ unknown: [], hasLog: false },
    }),
    log: () => undefined,
  }
  const past = pastOf({ history: () => world.history, clock, prices: null, whyOf: () => null })
  const gate = async () => ({ is: 'admitted', scope: everything }) as const
  const page = new PageServer({ clock, present, past, gate, asset, version: '0.1.0' })
  const server = await httpServer(page.handle)
  return {
    origin: server.origin,
    close: async () => {
      page.stop()
      await server.close()
    },
  }
}
