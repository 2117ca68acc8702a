// Runners of the Actions service: registered by a just-in-time configuration, looked up, removed
// (docs/reference/scale-set-protocol.md#s11).
import type { Instant } from '@dayfly/kit/clock'
import { asJsonObject } from '@dayfly/kit/read-json'
import { Credential } from '@dayfly/runner-set/model/credential'
import type { Registration } from '@dayfly/runner-set/model/runner'
import type { ActionsService } from '../calls/actions-api.ts'
import { badAnswer, isGitHubError } from '../calls/errors.ts'
import { briefPolicy } from '../calls/retry.ts'
import { field, instantField, integerField, opaqueField, textField, type Wire, wireList } from '../calls/wire.ts'
import { scaleSetsPath } from './scale-set.ts'

/** A runner in GitHub's list, with its scale set, if any, and the time of its registration. `version`: undefined until it has connected. */
export type ListedRunner = Registration & {
  readonly scaleSetId: number | undefined
  readonly version: string | undefined
  readonly createdAt: Instant | undefined
}

const agentsPath = '/_apis/distributedtask/pools/0/agents'

/** Registers the runner. It exists at GitHub even if it never starts. A 429 is not retried here: the caller paces registrations. */
export async function generateJitConfig(
  service: ActionsService,
  scaleSetId: number,
  name: string,
  signal: AbortSignal,
): Promise<{ readonly registration: Registration; readonly credential: Credential }> {
  const reply = await service.call({
    method: 'POST',
    path: `${scaleSetsPath}/${scaleSetId}/generatejitconfig`,
    body: { name, workFolder: '_work' },
    policy: { ...briefPolicy, except: [429] },
    meaning: { 404: 'scale-set-gone', 409: 'runner-exists' },
    signal,
  })
  const wire = asJsonObject(reply.value) ?? {}
  const id = integerField(asJsonObject(field(wire, 'runner')) ?? {}, 'id')
  const config = opaqueField(wire, 'encodedJITConfig')
  if (!id) throw badAnswer(`the registration of ${name} has no id`, reply.status)
  if (!config) throw badAnswer(`the registration of ${name} has no configuration`, reply.status)
  const registration: Registration = { id: String(id), name, status: 'offline', busy: false }
  return { registration, credential: new Credential({ credential: config }) }
}

/** Returns undefined if a complete response shows no such runner. More than one is an error. */
export async function findRunner(
  service: ActionsService,
  name: string,
  signal?: AbortSignal,
): Promise<ListedRunner | undefined> {
  const found = await listAgents(service, { agentName: name }, signal)
  if (found.length > 1) throw badAnswer(`${found.length} runners are named ${name}`)
  return found[0]
}

/** Returns every runner of the account's scope, of all scale sets. */
export async function listRunners(service: ActionsService, signal?: AbortSignal): Promise<readonly ListedRunner[]> {
  return listAgents(service, {}, signal)
}

/**
 * Removes a registration. `removed` (204) also covers a runner that GitHub no longer had; `absent` is returned where GitHub
 * says so. `busy` as soon as a job is assigned to the runner. Rejects with `unauthorized` for 401 and 403, `rate-limited`
 * with its `retryAt` for 429, and `bad-response` for a refusal that names no reason.
 */
export async function removeRunner(
  service: ActionsService,
  id: string,
  signal?: AbortSignal,
): Promise<'removed' | 'absent' | 'busy'> {
  try {
    await service.call({
      method: 'DELETE',
      path: `${agentsPath}/${encodeURIComponent(id)}`,
      policy: briefPolicy,
      signal,
    })
    return 'removed'
  } catch (error) {
    if (isGitHubError(error, 'job-still-running')) return 'busy'
    if (isGitHubError(error, 'runner-missing')) return 'absent'
    if (isGitHubError(error, 'not-found') && !(await isListed(service, id, signal))) return 'absent'
    throw error
  }
}

/** A 404 without a type may come from a proxy or a wrong address, and `absent` lets the caller end a runner. Only the list proves it. */
async function isListed(service: ActionsService, id: string, signal: AbortSignal | undefined): Promise<boolean> {
  return (await listRunners(service, signal)).some((runner) => runner.id === id)
}

async function listAgents(
  service: ActionsService,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
): Promise<readonly ListedRunner[]> {
  const reply = await service.call({ method: 'GET', path: agentsPath, query, policy: briefPolicy, signal })
  const list = wireList(reply.value)
  if (!list) throw badAnswer('the list of runners is not complete', reply.status)
  return list.map(readRunner)
}

function readRunner(wire: Wire): ListedRunner {
  const id = integerField(wire, 'id')
  const name = textField(wire, 'name')
  if (id === undefined || name === undefined) throw badAnswer('a listed runner has no id or name')
  const status = textField(wire, 'status')?.toLowerCase()
  const busy = field(wire, 'busy')
  return {
    id: String(id),
    name,
    status: status === 'online' || status === 'offline' ? status : 'unknown',
    busy: typeof busy === 'boolean' ? busy : 'unknown',
    scaleSetId: integerField(wire, 'runnerScaleSetId'),
    version: textField(wire, 'version', 64),
    createdAt: instantField(wire, 'createdOn'),
  }
}
