// Which scale set is ours, and how we know. A name proves nothing: a set is ours when its id was remembered, or when we had stored,
// before we created it, that we were about to (a crash may come between creating and remembering).
import type { ForgeSet, ForgeState } from '../forge.ts'
import type { ActionsService } from './actions-api.ts'
import { type GitHubError, githubError, isGitHubError } from './errors.ts'
import type { ReportAnomaly } from './protocol-anomaly.ts'
import {
  type CallHow,
  createScaleSet,
  deleteScaleSet,
  disableUpdate,
  findGroup,
  findScaleSet,
  getScaleSet,
  type ScaleSet,
} from './scale-set.ts'

export type ClaimOptions = {
  readonly service: ActionsService
  readonly set: ForgeSet
  /** The account's URL: ids remembered of another account mean nothing here. */
  readonly account: string
  readonly remembered: ForgeState | undefined
  readonly anomalies: ReportAnomaly
}

export class Claim {
  readonly #options: ClaimOptions
  #id: number | undefined
  #groupId: number | undefined
  #current: ScaleSet | undefined
  #absent = false
  #declared: boolean

  constructor(options: ClaimOptions) {
    this.#options = options
    const { remembered, account } = options
    const known = (remembered?.['account'] || account) === account ? remembered : undefined
    const id = Number(known?.['scaleSetId'])
    this.#id = Number.isSafeInteger(id) && id > 0 ? id : undefined
    this.#declared = known?.['creating'] === options.set.name
    this.rememberedSession = this.#id === undefined ? undefined : known?.['sessionId'] || undefined
  }

  /** The message session of the process before us, if it left one. */
  readonly rememberedSession: string | undefined

  get current(): ScaleSet | undefined {
    return this.#current
  }

  /** The id that is ours, also where the set was not seen yet. */
  get knownId(): number | undefined {
    return this.#id
  }

  /** Whether it is stored that we are about to create the set. */
  get declared(): boolean {
    return this.#declared
  }

  /** The id of the set in use. Throws `not-connected` while there is none. */
  get id(): number {
    if (this.#current) return this.#current.id
    throw githubError('not-connected', `The scale set ${this.#options.set.name} is not known to the forge yet.`)
  }

  /** What to remember now. Every member is always there, empty where there is nothing: whoever merges it into what was stored before forgets what is over. */
  state(sessionId: string | undefined): ForgeState {
    return {
      account: this.#options.account,
      scaleSetId: this.#id === undefined ? '' : String(this.#id),
      creating: this.#declared && !this.#current ? this.#options.set.name : '',
      sessionId: sessionId ?? '',
    }
  }

  /** What to remember before `create`. */
  declaration(): ForgeState {
    return { ...this.state(undefined), creating: this.#options.set.name }
  }

  /** The declaration has been stored. */
  declare(): void {
    this.#declared = true
  }

  /** Finds our set, or that there is none. Rejects with `scale-set-collides` for a set of our name that is not ours. */
  async find(how: CallHow): Promise<'ours' | 'absent'> {
    if (this.#current) return 'ours'
    if (this.#absent) return 'absent'
    const { set, anomalies } = this.#options
    const service = this.#options.service
    this.#groupId = await findGroup(service, set.group ?? 'default', how)
    const known = this.#id === undefined ? undefined : await getScaleSet(service, this.#id, how)
    if (known && sameText(known.name, set.name)) return this.#take(known, how)
    if (known)
      anomalies('scale-set-differs', `Scale set ${known.id} was ours and is named ${known.name}; it is left as it is.`)
    const named = await findScaleSet(service, this.#groupId, set.name, how)
    if (named && named.id === this.#id) return this.#take(named, how)
    if (named && !this.#declared) throw this.#collision(named)
    if (named) {
      anomalies('scale-set-adopted', `Scale set ${named.id} was created by us before a crash and is taken up again.`)
      return this.#take(named, how)
    }
    this.#absent = true
    return 'absent'
  }

  /** Creates the set; needs `find` to have said `absent`. A refusal on the first try, beside a set of our name, is a collision; a lost answer leaves the next `find` to decide. */
  async create(how: CallHow): Promise<void> {
    const { set } = this.#options
    const service = this.#options.service
    const groupId = this.#groupId ?? (await findGroup(service, set.group ?? 'default', how))
    const extra = set.labels.filter((label) => !sameText(label, set.name))
    const labels = [...new Set([set.name, ...extra])].map((name) => ({ name }))
    this.#absent = false
    try {
      await this.#take(await createScaleSet(service, { groupId, name: set.name, labels }, how), how)
    } catch (error) {
      if (!isGitHubError(error, 'refused', 'scale-set-collides')) throw error
      this.#declared = false
      const named = await findScaleSet(service, groupId, set.name, how)
      throw named ? this.#collision(named) : error
    }
  }

  /** The service says that the set is gone: look again. */
  lose(): void {
    this.#current = undefined
    this.#absent = false
    this.#declared = false
  }

  /** Removes our set at the forge, seen by this process or only remembered. */
  async remove(how: CallHow): Promise<void> {
    if (this.#id === undefined && this.#declared) await this.find(how)
    if (this.#id !== undefined) await deleteScaleSet(this.#options.service, this.#id, how)
    this.#id = undefined
    this.lose()
  }

  async #take(found: ScaleSet, how: CallHow): Promise<'ours'> {
    const { set, anomalies } = this.#options
    this.#id = found.id
    this.#current = found
    const missing = set.labels.filter((label) => !found.labels.some((have) => sameText(have, label)))
    if (missing.length > 0) {
      const sentence = `Scale set ${found.id} lacks the labels ${missing.join(', ')}: the forge dropped them, or the set is older than they are.`
      anomalies('scale-set-differs', sentence)
    }
    if (this.#groupId !== undefined && found.groupId !== undefined && found.groupId !== this.#groupId) {
      anomalies(
        'scale-set-differs',
        `Scale set ${found.id} is in runner group ${found.groupId}, not in ${this.#groupId}.`,
      )
    }
    if (!found.updateDisabled) {
      this.#current = await disableUpdate(this.#options.service, found.id, how)
      if (!this.#current.updateDisabled) {
        anomalies(
          'update-not-disabled',
          `Scale set ${found.id} lets its runners update themselves: each start may take half a minute longer.`,
        )
      }
    }
    return 'ours'
  }

  #collision(found: ScaleSet): GitHubError {
    const { set, account } = this.#options
    const message =
      `Scale set ${found.name} (id ${found.id}) exists in runner group ${set.group ?? 'default'} of ${account}, and nothing shows that it is ours. ` +
      'If another installation uses it, choose another name. If it is left over, delete it at the forge, ' +
      `or take it over by remembering scaleSetId "${found.id}" in the status of the runner set.`
    return githubError('scale-set-collides', message, { scaleSetId: found.id })
  }
}

function sameText(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
