// Serves the files and the data of the page on one address.
import { fileURLToPath } from 'node:url'
import { CliFailure, codeOf } from '@dayfly/command-line/failure'
import type { History } from '@dayfly/dashboard/history/history'
import type { Prices } from '@dayfly/dashboard/model/trends'
import { readAssets } from '@dayfly/dashboard/server/assets'
import { PageServer } from '@dayfly/dashboard/server/page-server'
import { pastOf } from '@dayfly/dashboard/server/past'
import type { Gate, PresentSource } from '@dayfly/dashboard/server/source'
import type { Clock } from '@dayfly/kit/clock'
import { type HttpServer, httpServer } from '@dayfly/kit/http-server'
import type { Random } from '@dayfly/kit/random'
import type { ListenAddress } from '../command/process/listen-address.ts'

export type ServeOptions = {
  readonly address: ListenAddress
  /** The option that chose the address, for the message of a failure. */
  readonly option: string
  readonly clock: Clock
  readonly random: Random
  readonly history: () => History
  readonly present: PresentSource
  readonly gate: Gate
  readonly prices: Prices | null
  readonly version: string
}

export type ServedPage = { readonly origin: string; readonly close: () => Promise<void> }

/** Throws a `CliFailure` if it cannot listen, or if the page is not built. */
export async function servePage(options: ServeOptions): Promise<ServedPage> {
  const { clock, random, history, present, gate, prices, version } = options
  const past = pastOf({ history, clock, prices })
  const page = new PageServer({ clock, random, present, past, gate, asset: await pageFiles(), version })
  try {
    const server = await listen(options, page)
    return {
      origin: server.origin,
      close: async () => {
        page.stop()
        await server.close()
      },
    }
  } catch (error) {
    page.stop()
    throw error
  }
}

/** The build puts the page beside the program. */
async function pageFiles() {
  const folders = ['./page/', '../../../dashboard/dist/page/'].map((folder) => new URL(folder, import.meta.url))
  for (const folder of folders) {
    const files = await readAssets(fileURLToPath(folder))
    if (files) return files
  }
  throw new CliFailure({
    code: 'not-built',
    sentence: 'The files of the page are missing.',
    next: 'Run npm run build.',
    exitCode: 1,
  })
}

async function listen({ address: { host, port }, option }: ServeOptions, page: PageServer): Promise<HttpServer> {
  try {
    return await httpServer(page.handle, { host, port, bytesMax: 16 * 1_024 })
  } catch (cause) {
    throw new CliFailure({
      code: 'dashboard-address-unusable',
      sentence: `The page cannot be served on ${host}:${port} (${codeOf(cause)}).`,
      next: `Choose another ${option}.`,
      cause,
    })
  }
}
