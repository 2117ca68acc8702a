// Serves /healthz, /readyz and /metrics on one address.
import { CliFailure, codeOf } from '@dayfly/command-line/failure'
import { type Answer, textAnswer } from '@dayfly/kit/http'
import { type HttpServer, httpServer } from '@dayfly/kit/http-server'
import { printable } from '@dayfly/kit/printable'
import { type Check, describeChecks, passes } from '../../health/checks.ts'
import type { ListenAddress } from './listen-address.ts'

export type HealthSources = {
  readonly alive: () => readonly Check[]
  readonly ready: () => readonly Check[]
  readonly metrics: () => Promise<{ readonly text: string; readonly type: string }>
}

export async function serveHealth({ host, port }: ListenAddress, sources: HealthSources): Promise<HttpServer> {
  const serve = async (path: string): Promise<Answer> => {
    if (path === '/healthz') return probe('healthz', sources.alive())
    if (path === '/readyz') return probe('readyz', sources.ready())
    if (path !== '/metrics') return textAnswer(404, 'not found: this server has /healthz, /readyz and /metrics\n')
    const { text, type } = await sources.metrics()
    return textAnswer(200, text, { 'content-type': type })
  }
  const handle = async ({ method, path }: { readonly method: string; readonly path: string }): Promise<Answer> => {
    if (method === 'GET') return serve(path)
    return textAnswer(405, 'only GET is served here\n', { allow: 'GET' })
  }
  try {
    return await httpServer(handle, { host, port, bytesMax: 16 * 1024 })
  } catch (cause) {
    throw new CliFailure({
      code: 'health-address-unusable',
      sentence: `The health server cannot listen on ${host}:${port} (${codeOf(cause)}).`,
      next: 'Choose another --health-address, or "off" to serve no health checks and no metrics.',
      cause,
    })
  }
}

function probe(endpoint: string, checks: readonly Check[]): Answer {
  return textAnswer(passes(checks) ? 200 : 503, printable(describeChecks(endpoint, checks)))
}
