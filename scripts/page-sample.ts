// Serves the web page with sample data that changes: npx tsx scripts/page-sample.ts [--runners 1000] [--sets 8] [--port 8090]
import { parseArgs } from 'node:util'
import { servePage } from './page-server.ts'

const { values: options } = parseArgs({
  options: {
    sets: { type: 'string', default: '8' },
    runners: { type: 'string', default: '60' },
    gone: { type: 'string', default: '200' },
    failing: { type: 'string', default: '2' },
    waiting: { type: 'string', default: '9' },
    silent: { type: 'string', default: '0' },
    'step-ms': { type: 'string', default: '250' },
    port: { type: 'string', default: '8090' },
    prefix: { type: 'string', default: '/' },
    token: { type: 'string' },
    prices: { type: 'boolean', default: false },
  },
})

const server = await servePage({
  size: {
    sets: Number(options.sets),
    runners: Number(options.runners),
    gone: Number(options.gone),
    failing: Number(options.failing),
    waiting: Number(options.waiting),
    silent: Number(options.silent),
  },
  stepMs: Number(options['step-ms']),
  port: Number(options.port),
  prefix: options.prefix,
  isPriced: options.prices,
  ...(options.token === undefined ? {} : { token: options.token }),
})
process.stdout.write(`${server.address}\n`)
process.once('SIGINT', () => server.close())
process.once('SIGTERM', () => server.close())
