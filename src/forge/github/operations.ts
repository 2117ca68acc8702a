// Names GitHub's operations and reads the rate limit from its answers, for metrics.
import type { Request } from '../../lib/http.ts'

/** By method and path, in this order. The paths are those of docs/reference/scale-set-protocol.md. */
const operations: readonly (readonly [method: Request['method'], path: RegExp, name: string])[] = [
  ['POST', /\/actions\/runners\/registration-token$/, 'registration-token'],
  ['POST', /\/actions\/runner-registration$/, 'runner-registration'],
  ['POST', /\/app\/installations\/[^/]+\/access_tokens$/, 'installation-token'],
  ['GET', /\/(?:app|installation)(?:\/|$)|\/installation$/, 'find-installation'],
  ['GET', /\/rate_limit$/, 'rate-limit'],
  ['POST', /\/runnerscalesets\/[^/]+\/generatejitconfig$/, 'register-runner'],
  ['POST', /\/runnerscalesets\/[^/]+\/acquirejobs$/, 'acquire-jobs'],
  ['POST', /\/runnerscalesets\/[^/]+\/sessions$/, 'open-session'],
  ['PATCH', /\/runnerscalesets\/[^/]+\/sessions\/[^/]+$/, 'refresh-session'],
  ['DELETE', /\/runnerscalesets\/[^/]+\/sessions\/[^/]+$/, 'close-session'],
  ['GET', /\/runnerscalesets(?:\/[^/]*)?$/, 'find-scale-set'],
  ['POST', /\/runnerscalesets$/, 'create-scale-set'],
  ['PATCH', /\/runnerscalesets\/[^/]+$/, 'update-scale-set'],
  ['DELETE', /\/runnerscalesets\/[^/]+$/, 'delete-scale-set'],
  ['GET', /\/runnergroups\/?$/, 'find-group'],
  ['GET', /\/agents$/, 'list-runners'],
  ['DELETE', /\/agents\/[^/]+$/, 'remove-runner'],
]

/** Returns a name from a closed list. The long poll has an address of GitHub's choice: it alone asks for bytes. */
export function operationOf({ method, path, expect }: Request): string {
  if (method === 'GET' && expect === 'bytes') return 'poll'
  return operations.find(([verb, pattern]) => verb === method && pattern.test(path))?.[2] ?? queueOperation(method)
}

/** A message is acknowledged at an address of GitHub's choice, too. */
function queueOperation(method: Request['method']): string {
  return method === 'DELETE' ? 'acknowledge' : 'other'
}

/** Returns how many requests the main rate limit still allows; undefined if the answer does not say. */
export function budgetOf(headers: Readonly<Record<string, string>>): number | undefined {
  const text = headers['x-ratelimit-remaining']
  const resource = headers['x-ratelimit-resource'] ?? 'core'
  return text !== undefined && resource === 'core' && /^\d{1,9}$/.test(text) ? Number(text) : undefined
}
