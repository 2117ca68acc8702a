// Runners at the Actions service: made by a just-in-time configuration, looked up, removed (scale-set protocol 11).
import type { Instant } from '../../lib/clock.ts'
import { Credential } from '../../model/credential.ts'
import type { Registration } from '../../model/runner.ts'
import type { ActionsService } from './actions-api.ts'
import { badAnswer, isGitHubError } from './errors.ts'
import { briefPolicy } from './retry.ts'
import { scaleSetsPath } from './scale-set.ts'
import { asWire, field, instantField, integerField, textField, type Wire, wireList } from './wire.ts'

/** A runner as the service lists it, with the scale set it belongs to, if any, and when it was registered. */
export type ListedRunner = Registration & {
  readonly scaleSetId: number | undefined
  readonly createdAt: Instant | undefined
}

const agentsPath = '/_apis/distributedtask/pools/0/agents'
const jitLengthMax = 256 * 1024

/** Registers the runner: it exists from here on, even if nothing ever starts. A 429 is handed back at once, as pacing is the caller's. */
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
  const wire = asWire(reply.value) ?? {}
  const id = integerField(asWire(field(wire, 'runner')) ?? {}, 'id')
  const config = textField(wire, 'encodedJITConfig', jitLengthMax)
  if (!id) throw badAnswer(`the registration of ${name} has no id`, reply.status)
  if (!config) throw badAnswer(`the registration of ${name} has no configuration`, reply.status)
  const registration: Registration = { id: String(id), name, status: 'offline', busy: false }
  return { registration, credential: new Credential(config) }
}

/** Undefined when there is none, by a complete answer; more than one is an error. */
export async function findRunner(
  service: ActionsService,
  name: string,
  signal?: AbortSignal,
): Promise<ListedRunner | undefined> {
  const found = await listAgents(service, { agentName: name }, signal)
  if (found.length > 1) throw badAnswer(`${found.length} runners are named ${name}`)
  return found[0]
}

/** Every runner of the account's scope, of whatever scale set. */
export async function listRunners(service: ActionsService, signal?: AbortSignal): Promise<readonly ListedRunner[]> {
  return listAgents(service, {}, signal)
}

/** `removed` (204) also covers a runner that had gone before: only the service's 404 tells the difference. `busy` as soon as a job is assigned to the runner. */
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
    if (isGitHubError(error, 'runner-missing', 'not-found')) return 'absent'
    throw error
  }
}

async function listAgents(
  service: ActionsService,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
): Promise<readonly ListedRunner[]> {
  const reply = await service.call({ method: 'GET', path: agentsPath, query, policy: briefPolicy, signal })
  const list = wireList(reply.value)
  if (!list) throw badAnswer('the list of runners is not whole', reply.status)
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
    createdAt: instantField(wire, 'createdOn'),
  }
}
