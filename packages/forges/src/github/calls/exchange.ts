// Reports each request to an observer, for metrics: its operation, its result, its time, and the budget that the response states.
import type { Clock } from '@dayfly/kit/clock'
import { type Answer, type Request, type Transport, TransportError } from '@dayfly/kit/http'
import type { ForgeExchange, ForgeOperation } from '@dayfly/runner-set/forge/forge'

export type ObserveExchange = (exchange: ForgeExchange) => void

/** @param account the account whose budget a registration token spends */
export function observed(transport: Transport, clock: Clock, account: string, observe: ObserveExchange): Transport {
  return async (request) => {
    const start = clock.now()
    const operation = operationOf(request)
    const report = (code: ForgeExchange['code'], answer?: Answer) => {
      const remaining = operation === 'create-registration-token' && remainingOf(answer)
      const budget = typeof remaining === 'number' ? { account, remaining } : undefined
      observe({ operation, code, ms: clock.now() - start, budget })
    }
    try {
      const answer = await transport(request)
      report(answer.status, answer)
      return answer
    } catch (error) {
      // A request that took too long is aborted with the error of the timeout.
      const reason: unknown = request.signal?.aborted ? request.signal.reason : error
      report(reason instanceof TransportError ? reason.kind : 'aborted')
      throw error
    }
  }
}

/** Returns undefined if the response does not say. */
function remainingOf(answer: Answer | undefined): number | undefined {
  const remaining = answer?.headers['x-ratelimit-remaining'] ?? ''
  return /^\d{1,9}$/.test(remaining) ? Number(remaining) : undefined
}

const operations: readonly (readonly [method: string, path: RegExp, operation: ForgeOperation])[] = [
  ['GET', /\/installation$/, 'find-installation'],
  ['POST', /\/app\/installations\/\d+\/access_tokens$/, 'create-installation-token'],
  ['POST', /\/actions\/runners\/registration-token$/, 'create-registration-token'],
  ['POST', /\/actions\/runner-registration$/, 'connect'],
  ['GET', /\/actions\/runners\/deprecations\/[^/]+$/, 'read-version'],
  ['GET', /\/actions\/runs\/\d+\/jobs$/, 'read-run'],
  ['POST', /\/actions\/runs\/\d+\/force-cancel$/, 'end-run'],
  ['POST', /\/actions\/(?:jobs\/\d+\/rerun|runs\/\d+\/rerun-failed-jobs)$/, 'repeat-jobs'],
  ['GET', /\/commits\/[0-9a-f]+\/check-runs$/, 'notify'],
  ['POST', /\/(?:check-runs|statuses\/[0-9a-f]+)$/, 'notify'],
  ['GET', /\/runnergroups\/?$/, 'find-group'],
  ['GET', /\/runnerscalesets$/, 'find-set'],
  ['POST', /\/runnerscalesets$/, 'create-set'],
  ['GET', /\/runnerscalesets\/\d+$/, 'read-set'],
  ['PATCH', /\/runnerscalesets\/\d+$/, 'change-set'],
  ['DELETE', /\/runnerscalesets\/\d+$/, 'delete-set'],
  ['POST', /\/sessions$/, 'open-session'],
  ['PATCH', /\/sessions\/[^/]+$/, 'refresh-session'],
  ['DELETE', /\/sessions\/[^/]+$/, 'close-session'],
  ['POST', /\/acquirejobs$/, 'acquire'],
  ['POST', /\/generatejitconfig$/, 'register'],
  ['DELETE', /\/agents\/[^/]+$/, 'deregister'],
  // GitHub chooses the address of the queue.
  ['DELETE', /\/\d+$/, 'acknowledge'],
]

function operationOf({ method, path, query, expect }: Request): ForgeOperation {
  if (expect === 'bytes') return 'poll'
  if (method === 'GET' && path.endsWith('/agents'))
    return 'agentName' in query ? 'find-registration' : 'list-registrations'
  return operations.find(([wanted, pattern]) => method === wanted && pattern.test(path))?.[2] ?? 'other'
}
