// Serves the page with sample data that changes, to look at it: npx tsx scripts/page-sample.ts [--runners 1000] [--sets 8] [--port 8090]
import { parseArgs } from 'node:util'
import { pageFolder, serveSample } from '../test/browser/sample-server.ts'
import { buildPage } from './build-page.ts'

const { values: options } = parseArgs({
  options: {
    sets: { type: 'string', default: '8' },
    runners: { type: 'string', default: '60' },
    gone: { type: 'string', default: '200' },
    failing: { type: 'string', default: '2' },
    waiting: { type: 'string', default: '9' },
    silent: { type: 'string', default: '0' },
    port: { type: 'string', default: '8090' },
    prices: { type: 'boolean', default: false },
  },
})

await buildPage(pageFolder)
const server = await serveSample({
  sets: Number(options.sets),
  runners: Number(options.runners),
  gone: Number(options.gone),
  failing: Number(options.failing),
  waiting: Number(options.waiting),
  silent: Number(options.silent),
  port: Number(options.port),
  prices: options.prices,
  moves: true,
})
process.stdout.write(`${server.origin}\n`)
process.once('SIGINT', server.close)
process.once('SIGTERM', server.close)
