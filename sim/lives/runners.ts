// The runner containers of one set, from the inside: they come online, run their jobs, and meet their fates.
import type { Random } from '@dayfly/kit/random'
import { defaultLimits } from '@dayfly/runner-set/model/limits'
import type { Cluster } from './cluster.ts'
import type { EventQueue } from './event-queue.ts'
import type { Forge } from './forge.ts'
import { jobIs, type Lives, podIs } from './lives.ts'
import type { Promises } from './promises.ts'
import { between } from './random.ts'
import { type Fate, fates } from './weather.ts'

type Context = {
  readonly queue: EventQueue
  readonly random: Random
  readonly lives: Lives
  readonly promises: Promises
  readonly cluster: () => Cluster
  readonly forge: () => Forge
}

const jobMs = [60_000, 240_000] as const
const killed = { exitCode: 137, reason: 'Error' } as const

export class Runners {
  readonly #context: Context
  readonly #steps: Readonly<Record<'online' | 'finish' | 'leave' | 'strike' | 'recover', number>>

  constructor(context: Context) {
    this.#context = context
    const { lives, forge } = context
    this.#steps = {
      online: lives.step((life) => void (this.#runs(life) && forge().online(life))),
      finish: lives.step((life) => this.#finish(life)),
      leave: lives.step((life) => this.#leave(life)),
      strike: lives.step((life) => void (this.#runs(life) && this.#strike(life))),
      recover: lives.step(
        (life) => void (this.#runs(life) && this.#context.cluster().change(life, { nodeSilentSince: undefined })),
      ),
    }
  }

  started(life: number): void {
    const { lives, random } = this.#context
    const fate = this.#fate(life)
    if (fate !== 'never-online') lives.after(between(random, 500, 3_000), this.#steps.online, life)
    if (fate !== 'usual') lives.after(between(random, 2_000, 90_000), this.#steps.strike, life)
  }

  gotJob(life: number): void {
    const { lives, random } = this.#context
    lives.after(between(random, ...jobMs), this.#steps.finish, life)
  }

  /** The kubelet ends the container because its pod is deleted. */
  killed(life: number): void {
    const { lives, forge, promises } = this.#context
    const isOurs = this.#fate(life) !== 'deleted-by-others'
    if (isOurs && lives.job[life] === jobIs.running) {
      promises.broke('busy-runner', `the pod of ${lives.name[life]} was deleted while its runner had a job`)
    }
    forge().lose(life)
  }

  #finish(life: number): void {
    const { lives, random, forge, cluster } = this.#context
    if (!this.#runs(life) || lives.job[life] !== jobIs.running) return
    const drawn = random()
    forge().finish(life, drawn < 0.02 ? 'canceled' : drawn < 0.1 ? 'failed' : 'succeeded')
    const lingers = this.#fate(life) === 'runner-lingers'
    if (lingers) cluster().freesPlaceAfter(defaultLimits.lingerMs, life)
    lives.after(lingers ? between(random, 700_000, 900_000) : between(random, 100, 2_000), this.#steps.leave, life)
  }

  /** The runner ends by itself, after its job. A sidecar may run on. */
  #leave(life: number): void {
    if (!this.#runs(life)) return
    const { random, cluster } = this.#context
    const afterMs = this.#fate(life) === 'sidecar-lingers' ? between(random, 5_000, 120_000) : 0
    cluster().end(life, { exitCode: 0, reason: 'Completed' }, {}, afterMs)
  }

  #strike(life: number): void {
    const { queue, cluster, forge } = this.#context
    switch (this.#fate(life)) {
      case 'out-of-memory':
        forge().lose(life)
        cluster().end(life, { exitCode: 137, reason: 'OOMKilled' })
        break
      case 'evicted':
        forge().lose(life)
        cluster().end(life, killed, {
          disrupted: { reason: 'evicted', message: 'the node had too little memory', since: queue.now() },
        })
        break
      case 'vanishes':
        forge().lose(life)
        cluster().remove(life)
        break
      case 'deleted-by-others':
        cluster().delete(life, this.#context.lives.facts[life]?.uid ?? '', undefined)
        break
      case 'leaves-idle':
        this.#leaveIdle(life)
        break
      case 'node-silent':
        cluster().change(life, { nodeSilentSince: queue.now() })
        this.#context.lives.after(120_000, this.#steps.recover, life)
        break
      default:
    }
  }

  /** The forge removes an idle runner, or its runner gives up. */
  #leaveIdle(life: number): void {
    const { forge, cluster, lives } = this.#context
    if (!forge().isIdle(life)) return
    forge().deregister(life, lives.registration[life]?.id ?? '')
    cluster().end(life, { exitCode: 0, reason: 'Completed' })
  }

  /** Whether the runner container runs. */
  #runs(life: number): boolean {
    const { lives } = this.#context
    return lives.pod[life] === podIs.running && lives.facts[life]?.end === undefined
  }

  #fate(life: number): Fate {
    return fates[this.#context.lives.fate[life] ?? 0] ?? 'usual'
  }
}
