// Runner groups and scale sets of the Actions service (docs/reference/scale-set-protocol.md#s6, #s7).
import { asJsonObject } from '@dayfly/kit/read-json'
import type { ActionsService, ServiceCall } from '../calls/actions-api.ts'
import { badAnswer, GitHubError, githubError, isGitHubError } from '../calls/errors.ts'
import { field, integerField, textField, type Wire, wireList } from '../calls/wire.ts'

export type ScaleSet = {
  readonly id: number
  readonly name: string
  /** Undefined if the response does not say. */
  readonly groupId: number | undefined
  readonly labels: readonly string[] | undefined
  /** Whether the service confirmed that runners of this set do not update themselves. */
  readonly updateDisabled: boolean
  /** Jobs that wait for a runner or run, and registered runners; undefined if the response does not say. */
  readonly assignedJobs: number | undefined
  readonly registeredRunners: number | undefined
}

/** The retry policy and the signal of the calls of one operation. */
export type CallHow = Pick<ServiceCall, 'policy' | 'signal'>

export type Label = { readonly name: string; readonly type?: string }

export type WantedScaleSet = { readonly groupId: number; readonly name: string; readonly labels: readonly Label[] }

export const scaleSetsPath = '/_apis/runtime/runnerscalesets'

/** Returns the group's id. Rejects with `group-missing`, also if the name is ambiguous. */
export async function findGroup(service: ActionsService, name: string, how: CallHow): Promise<number> {
  const reply = await service.call({
    method: 'GET',
    path: '/_apis/runtime/runnergroups/',
    query: { groupName: name },
    ...how,
  })
  const groups = wireList(reply.value)
  if (!groups) throw badAnswer('the list of runner groups is not complete', reply.status)
  const [first] = groups
  if (!first) throw githubError('group-missing', `There is no runner group named ${name} that this account may use.`)
  if (groups.length > 1) throw githubError('group-missing', `${groups.length} runner groups are named ${name}.`)
  const id = integerField(first, 'id')
  if (id === undefined) throw badAnswer('the runner group has no id', reply.status)
  return id
}

/** Returns undefined if a complete response shows no set of this name in the group. */
export async function findScaleSet(
  service: ActionsService,
  groupId: number,
  name: string,
  how: CallHow,
): Promise<ScaleSet | undefined> {
  const query = { runnerGroupId: String(groupId), name }
  const reply = await service.call({ method: 'GET', path: scaleSetsPath, query, ...how })
  const found = wireList(reply.value)
  if (!found) throw badAnswer('the list of scale sets is not complete', reply.status)
  if (found.length > 1) throw badAnswer(`${found.length} scale sets are named ${name}`, reply.status)
  return found[0] && readScaleSet(found[0])
}

/** Returns undefined if the set is gone: 404, or `null` with 200. */
export async function getScaleSet(service: ActionsService, id: number, how: CallHow): Promise<ScaleSet | undefined> {
  try {
    const reply = await service.call({ method: 'GET', path: `${scaleSetsPath}/${id}`, ...how })
    return reply.value === null ? undefined : readScaleSet(reply.value)
  } catch (error) {
    if (isGitHubError(error, 'scale-set-gone', 'not-found')) return undefined
    throw error
  }
}

/** GitHub refuses a name that is taken with 400 or 409, not always with a type: after a refusal, look the name up again. */
export async function createScaleSet(service: ActionsService, wanted: WantedScaleSet, how: CallHow): Promise<ScaleSet> {
  const { name, groupId, labels } = wanted
  const body = {
    name,
    runnerGroupId: groupId,
    labels: scaleSetLabels(name, labels),
    RunnerSetting: { disableUpdate: true },
  }
  const meaning = { 409: 'scale-set-collides' } as const
  const reply = await service.call({ method: 'POST', path: scaleSetsPath, body, ...how, meaning })
  return readScaleSet(reply.value)
}

/** The members of a scale set that GitHub may let us change. */
export type ScaleSetChange = {
  readonly runnerGroupId?: number
  readonly labels?: readonly Required<Label>[]
  readonly RunnerSetting?: { readonly disableUpdate: boolean }
}

/** Sends only the members to change, and returns the set as GitHub has it afterwards. */
export async function patchScaleSet(
  service: ActionsService,
  id: number,
  change: ScaleSetChange,
  how: CallHow,
): Promise<ScaleSet> {
  const reply = await service.call({ method: 'PATCH', path: `${scaleSetsPath}/${id}`, body: change, ...how })
  return readScaleSet(reply.value)
}

/** Succeeds also if the set is gone. Rejects with `job-still-running` while a runner of the set has a job. */
export async function deleteScaleSet(service: ActionsService, id: number, how: CallHow): Promise<void> {
  try {
    const meaning = { 400: 'job-still-running' } as const
    await service.call({ method: 'DELETE', path: `${scaleSetsPath}/${id}`, ...how, meaning })
  } catch (error) {
    if (!isGitHubError(error, 'scale-set-gone', 'not-found')) throw error
  }
}

/** Returns the labels as they are sent: without a label the set's name, without a type `System`. Throws if there is neither name nor label. */
export function scaleSetLabels(name: string, labels: readonly Label[]): readonly Required<Label>[] {
  if (name === '' && labels.length === 0) throw new GitHubError('bad-set', 'A scale set needs a name or a label.')
  const given = labels.length === 0 ? [{ name }] : labels
  return given.map((label) => ({ name: label.name, type: label.type ?? 'System' }))
}

function readScaleSet(value: unknown): ScaleSet {
  const wire = asJsonObject(value)
  const id = wire && integerField(wire, 'id')
  const name = wire && textField(wire, 'name')
  if (!wire || id === undefined || id === 0 || name === undefined) throw badAnswer('the scale set has no id or name')
  const setting = asJsonObject(field(wire, 'runnerSetting')) ?? {}
  const statistics = asJsonObject(field(wire, 'statistics')) ?? {}
  return {
    id,
    name,
    groupId: integerField(wire, 'runnerGroupId'),
    labels: readLabels(wire),
    updateDisabled: field(setting, 'disableUpdate') === true,
    assignedJobs: integerField(statistics, 'totalAssignedJobs'),
    registeredRunners: integerField(statistics, 'totalRegisteredRunners'),
  }
}

function readLabels(wire: Wire): readonly string[] | undefined {
  const labels = field(wire, 'labels')
  if (!Array.isArray(labels)) return undefined
  return labels.flatMap((label: unknown) => textField(asJsonObject(label) ?? {}, 'name') ?? [])
}
