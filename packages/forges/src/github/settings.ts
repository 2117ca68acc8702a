// Makes the labels and the runner group of a scale set at GitHub the same as those of the runner set. Both decide who may
// use the runners, so a difference that GitHub does not let us remove is reported, never ignored.
import type { ForgeSet } from '@dayfly/runner-set/forge/forge'
import type { Failure } from '@dayfly/runner-set/model/failure'
import type { ActionsService } from './calls/actions-api.ts'
import { GitHubError, githubError } from './calls/errors.ts'
import {
  type CallHow,
  findGroup,
  getScaleSet,
  type Label,
  patchScaleSet,
  type ScaleSet,
  scaleSetLabels,
} from './scale-set/scale-set.ts'

/** `failures` has one sentence for each setting that still differs; `retry` says that the cause may pass within seconds. */
export type Alignment = { readonly found: ScaleSet; readonly failures: readonly string[]; readonly retry: boolean }

/** The runner set. `freshGroupId` is the id of its runner group if that and the scale set were read just now. */
export type WantedSettings = { readonly set: ForgeSet; readonly freshGroupId: number | undefined }

/** Returns the labels as they are sent: the name first, because jobs ask for it, and each only once. */
export function wantedLabels({ name, labels }: ForgeSet): readonly Label[] {
  const all = [name, ...labels]
  const keys = all.map((label) => label.toLowerCase())
  return all.filter((_, index) => keys.indexOf(keys[index] ?? '') === index).map((label) => ({ name: label }))
}

/**
 * Changes each setting that differs by a request of its own, so that the refusal of one does not stop the other.
 * Rejects only with `scale-set-gone` or with the signal's reason.
 */
export async function alignSettings(
  service: ActionsService,
  known: ScaleSet,
  wanted: WantedSettings,
  how: CallHow,
): Promise<Alignment> {
  const read = await attempt(known, async () => agreed(await readAgain(service, known, wanted, how)))
  if (read.failures.length > 0) return read
  const group = await attempt(read.found, (found) => alignGroup(service, found, wanted, how))
  const labels = await attempt(group.found, (found) => alignLabels(service, found, wanted.set, how))
  return {
    found: labels.found,
    failures: [...group.failures, ...labels.failures],
    retry: group.retry || labels.retry,
  }
}

/** Returns the failure to report; undefined if nothing differs. */
export function settingsFailure({ failures }: Alignment): Failure | undefined {
  return failures.length === 0 ? undefined : { reason: 'forge-settings-differ', message: failures.join(' ') }
}

async function attempt(found: ScaleSet, run: (found: ScaleSet) => Promise<Alignment>): Promise<Alignment> {
  try {
    return await run(found)
  } catch (error) {
    if (!(error instanceof GitHubError) || error.reason === 'scale-set-gone') throw error
    const retry = ['unavailable', 'rate-limited'].includes(error.kind) || error.reason === 'bad-answer'
    return { found, failures: [error.message], retry }
  }
}

async function alignGroup(
  service: ActionsService,
  found: ScaleSet,
  { set, freshGroupId }: WantedSettings,
  how: CallHow,
): Promise<Alignment> {
  const { group = 'default' } = set
  const wanted = freshGroupId ?? (await findGroup(service, group, how))
  const differs = (one: ScaleSet) => one.groupId !== undefined && one.groupId !== wanted
  const sentence = `Scale set ${found.name} (id ${found.id}) is in runner group ${found.groupId} and not in ${group} (id ${wanted}).`
  return align(found, differs, sentence, () => patchScaleSet(service, found.id, { runnerGroupId: wanted }, how))
}

async function alignLabels(service: ActionsService, found: ScaleSet, set: ForgeSet, how: CallHow): Promise<Alignment> {
  const wanted = wantedLabels(set)
  const key = (labels: readonly string[]) => JSON.stringify(labels.map((label) => label.toLowerCase()).sort())
  const names = wanted.map(({ name }) => name)
  const differs = ({ labels }: ScaleSet) => labels !== undefined && key([...new Set(labels)]) !== key(names)
  const sentence = `Scale set ${found.name} (id ${found.id}) has the labels ${found.labels?.join(', ')} and not ${names.join(', ')}.`
  return align(found, differs, sentence, () =>
    patchScaleSet(service, found.id, { labels: scaleSetLabels(set.name, wanted) }, how),
  )
}

async function align(
  found: ScaleSet,
  differs: (found: ScaleSet) => boolean,
  sentence: string,
  patch: () => Promise<ScaleSet>,
): Promise<Alignment> {
  if (!differs(found)) return agreed(found)
  const outcome = await attempt(found, async () => agreed(await patch()))
  if (outcome.failures.length > 0) return { ...outcome, failures: [`${sentence} ${outcome.failures.join(' ')}`] }
  if (!differs(outcome.found)) return outcome
  return { ...outcome, failures: [`${sentence} GitHub accepted the change and did not carry it out.`] }
}

async function readAgain(
  service: ActionsService,
  known: ScaleSet,
  { freshGroupId }: WantedSettings,
  how: CallHow,
): Promise<ScaleSet> {
  const found = freshGroupId === undefined ? await getScaleSet(service, known.id, how) : known
  if (!found) throw githubError('scale-set-gone', `GitHub no longer has the scale set ${known.id}.`)
  return found
}

function agreed(found: ScaleSet): Alignment {
  return { found, failures: [], retry: false }
}
