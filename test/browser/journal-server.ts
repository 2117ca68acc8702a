// Serves the page over a written journal, with the real history and the real server.
import type { Clock, Instant } from '@dayfly/kit/clock'
import { httpServer } from '@dayfly/kit/http-server'
import { systemRandom } from '@dayfly/kit/system'
import type { History } from '../../packages/dashboard/src/history/history.ts'
import type { SetNow } from '../../packages/dashboard/src/model/set-now.ts'
import type { Prices } from '../../packages/dashboard/src/model/trends.ts'
import { readAssets } from '../../packages/dashboard/src/server/assets.ts'
import { PageServer } from '../../packages/dashboard/src/server/page-server.ts'
import { pastOf } from '../../packages/dashboard/src/server/past.ts'
import { everything } from '../../packages/dashboard/src/server/scope.ts'
import type { PresentSource } from '../../packages/dashboard/src/server/source.ts'
import { pageFolder } from './sample-server.ts'

export type Written = { readonly history: History; readonly sets: (at: Instant) => readonly SetNow[] }

export async function serveJournal(world: Written, clock: Clock, prices: Prices | null = null) {
  const asset = await readAssets(pageFolder)
  if (!asset) throw new Error(`the page is not built in ${pageFolder}: run npm run build`)
  const present: PresentSource = {
    sets: () => world.sets(clock.now()),
    health: () => [],
    limits: [],
    runner: async ({ problem }) => ({
      ...{ sentences: [], problem, containers: null, events: null, scheduledAt: null, pulledAt: null },
      ...{ unknown: [], hasLog: false },
    }),
    log: () => undefined,
  }
  const past = pastOf({ history: () => world.history, clock, prices })
  const gate = async () => ({ is: 'admitted', scope: everything }) as const
  const page = new PageServer({ clock, random: systemRandom(), present, past, gate, asset, version: '0.1.0' })
  const server = await httpServer(page.handle)
  return {
    origin: server.origin,
    close: async () => {
      page.stop()
      await server.close()
    },
  }
}
