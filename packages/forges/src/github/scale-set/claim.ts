// Decides which scale set is ours. A name proves nothing. A set is ours if its id was remembered, or if a declaration was
// stored before its creation. The process may crash between creating a set and storing its id.
import type { ForgeSet } from '@dayfly/runner-set/forge/forge'
import type { ForgeState } from '@dayfly/runner-set/model/forge-event'
import type { ActionsService } from '../calls/actions-api.ts'
import { type GitHubError, githubError, isGitHubError } from '../calls/errors.ts'
import type { ReportAnomaly } from '../session/protocol-anomaly.ts'
import { type Alignment, alignSettings, wantedLabels } from '../settings.ts'
import {
  type CallHow,
  createScaleSet,
  deleteScaleSet,
  findGroup,
  findScaleSet,
  getScaleSet,
  patchScaleSet,
  type ScaleSet,
} from './scale-set.ts'

export type ClaimOptions = {
  readonly service: ActionsService
  readonly set: ForgeSet
  /** The account's URL. Ids that were remembered for another account are ignored. */
  readonly account: string
  readonly remembered: ForgeState | undefined
  readonly anomalies: ReportAnomaly
}

/** The configuration that was looked up at GitHub, and the id of its runner group. It may change during the request. */
type Lookup = { readonly set: ForgeSet; readonly groupId: number }

export class Claim {
  readonly #options: ClaimOptions
  #set: ForgeSet
  #id: number | undefined
  #current: ScaleSet | undefined
  /** The id of the runner group, while what GitHub has just answered can be compared without a request. */
  #freshGroupId: number | undefined
  /** The last lookup that found no set of our name. */
  #absent: Lookup | undefined
  #declared: boolean

  constructor(options: ClaimOptions) {
    this.#options = options
    this.#set = options.set
    const { remembered, account } = options
    const known = (remembered?.['account'] || account) === account ? remembered : undefined
    const id = Number(known?.['scaleSetId'])
    this.#id = Number.isSafeInteger(id) && id > 0 ? id : undefined
    this.#declared = known?.['creating'] === options.set.name
    this.rememberedSession = this.#id === undefined ? undefined : known?.['sessionId'] || undefined
  }

  /** The message session that the previous process left open, if any. */
  readonly rememberedSession: string | undefined

  /** The runner set as it is configured now. */
  get set(): ForgeSet {
    return this.#set
  }

  get current(): ScaleSet | undefined {
    return this.#current
  }

  /** The id of our set, also if this process has not seen the set yet. */
  get knownId(): number | undefined {
    return this.#id
  }

  /** Whether the declaration is stored: the set may be created. */
  get declared(): boolean {
    return this.#declared
  }

  /** The id of the set in use. Throws `not-connected` while there is none. */
  get id(): number {
    return this.#required.id
  }

  get #required(): ScaleSet {
    if (this.#current) return this.#current
    throw githubError('not-connected', `GitHub has not confirmed the scale set ${this.#set.name} yet. Try again later.`)
  }

  /** Takes over a new configuration; `align` sends it to GitHub. */
  configure(set: ForgeSet): void {
    this.#set = set
    this.#freshGroupId = undefined
  }

  /** Returns what to remember. Every member is always present, possibly empty, so that it can be merged over an older state. */
  state(sessionId: string | undefined): ForgeState {
    return {
      account: this.#options.account,
      scaleSetId: this.#id === undefined ? '' : String(this.#id),
      creating: this.#declared && !this.#current ? this.#set.name : '',
      sessionId: sessionId ?? '',
    }
  }

  /** Returns what to remember before `create`. */
  declaration(): ForgeState {
    return { ...this.state(undefined), creating: this.#set.name }
  }

  /** Notes that the declaration has been stored. */
  declare(): void {
    this.#declared = true
  }

  /** Looks for our set. Rejects with `scale-set-collides` for a set of our name that is not ours. */
  async find(how: CallHow): Promise<'ours' | 'absent'> {
    if (this.#current) return 'ours'
    const { service, anomalies } = this.#options
    const set = this.#set
    if (this.#absent?.set === set) return 'absent'
    const groupId = await findGroup(service, set.group ?? 'default', how)
    const known = this.#id === undefined ? undefined : await getScaleSet(service, this.#id, how)
    if (known && sameText(known.name, set.name)) return this.#take(known, { set, groupId }, how)
    if (known) {
      const sentence = `Scale set ${known.id} was ours and is now named ${known.name}. It is left unchanged, and ${set.name} is created.`
      anomalies('scale-set-differs', sentence)
    }
    const named = await findScaleSet(service, groupId, set.name, how)
    if (named && named.id === this.#id) return this.#take(named, { set, groupId }, how)
    if (named && !this.#declared) throw this.#collision(named)
    if (named) {
      anomalies(
        'scale-set-adopted',
        `Scale set ${named.id} was created by an earlier process of this set and is adopted.`,
      )
      return this.#take(named, { set, groupId }, how)
    }
    this.#absent = { set, groupId }
    return 'absent'
  }

  /**
   * Creates the set after `find` returned `absent`. A refusal beside a set of our name is a collision. If the response is
   * lost, the next `find` decides.
   */
  async create(how: CallHow): Promise<void> {
    const { service } = this.#options
    const set = this.#set
    const absent = this.#absent?.set === set ? this.#absent : undefined
    this.#absent = undefined
    const groupId = absent?.groupId ?? (await findGroup(service, set.group ?? 'default', how))
    try {
      const wanted = { groupId, name: set.name, labels: wantedLabels(set) }
      await this.#take(await createScaleSet(service, wanted, how), { set, groupId }, how)
    } catch (error) {
      if (!isGitHubError(error, 'refused', 'scale-set-collides')) throw error
      this.#declared = false
      const named = await findScaleSet(service, groupId, set.name, how)
      throw named ? this.#collision(named) : error
    }
  }

  /** Compares labels and runner group at GitHub with the configuration and changes what differs. Rejects only with `scale-set-gone` or with the signal's reason. */
  async align(how: CallHow): Promise<Alignment> {
    const current = this.#required
    const freshGroupId = this.#freshGroupId
    this.#freshGroupId = undefined
    const alignment = await alignSettings(this.#options.service, current, { set: this.#set, freshGroupId }, how)
    this.#current = alignment.found
    return alignment
  }

  /** GitHub says that the set is gone: `find` looks for it again. */
  forget(): void {
    this.#current = undefined
    this.#absent = undefined
    this.#declared = false
  }

  /** Removes our set at GitHub, also if this process only remembers it. */
  async remove(how: CallHow): Promise<void> {
    if (this.#id === undefined && this.#declared) await this.find(how)
    if (this.#id !== undefined) await deleteScaleSet(this.#options.service, this.#id, how)
    this.#id = undefined
    this.forget()
  }

  /** Container images must not update the runner in each start (docs/reference/scale-set-protocol.md#s7-2). */
  async #take(found: ScaleSet, asked: Lookup, how: CallHow): Promise<'ours'> {
    const { service, anomalies } = this.#options
    this.#id = found.id
    this.#current = found
    this.#freshGroupId = asked.set === this.#set ? asked.groupId : undefined
    if (found.updateDisabled) return 'ours'
    this.#current = await patchScaleSet(service, found.id, { RunnerSetting: { disableUpdate: true } }, how)
    if (!this.#current.updateDisabled) {
      const sentence = `Scale set ${found.id} lets its runners update themselves: each start may take 30 s longer.`
      anomalies('update-not-disabled', sentence)
    }
    return 'ours'
  }

  #collision(found: ScaleSet): GitHubError {
    const group = this.#set.group ?? 'default'
    const message =
      `Scale set ${found.name} (id ${found.id}) exists in runner group ${group} of ${this.#options.account}, and nothing shows that it is ours. ` +
      'If a RunnerSet of another namespace or another installation uses it, choose another name. ' +
      `If nobody uses it, take it over by remembering scaleSetId "${found.id}" in the status of the runner set, or delete it at GitHub.`
    return githubError('scale-set-collides', message, { scaleSetId: found.id })
  }
}

function sameText(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
