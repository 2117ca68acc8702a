// Keeps the past over restarts, in the files of one folder: segments of lives, and a dump of the sums. It never fails the journal.
import type { Clock, Instant } from '@dayfly/kit/clock'
import { readDump } from '../history/dump.ts'
import type { Followed } from '../history/followed.ts'
import type { History } from '../history/history.ts'
import type { Files } from './files.ts'
import { type Holder, type Owner, releaseLock, renewLock, takeLock } from './lock.ts'
import {
  asideText,
  lineText,
  messageOf,
  readSegment,
  segmentName,
  segmentsOf,
  setAside,
  surplusOf,
} from './segments.ts'

export type StoreOptions = {
  readonly files: Files
  readonly clock: Clock
  readonly owner: Owner
  /** Lives that ended earlier are dropped. */
  readonly days: number
  /** The oldest segments are dropped until the rest is smaller. */
  readonly megabytes: number
}

const flushMs = 2_000
const dumpMs = 180_000
/** Also how long a write that failed waits for its next try. */
const renewMs = 60_000
const dumpName = 'sums.json'
/** Lives that wait for a disk that fails: the oldest ones are dropped. */
const pendingMax = 5_000
const dayMs = 86_400_000
const megabyte = 1_000_000

/** Opens the folder, and reads what is there into the history. Never rejects: the warnings of the store say what failed. */
export async function openStore(options: StoreOptions, history: History): Promise<Store> {
  const store = new Store(options, history)
  await store.begin()
  return store
}

export class Store {
  readonly #options: StoreOptions
  readonly #history: History
  readonly #closing = new AbortController()
  #work: Promise<void> = Promise.resolve()
  #loop: Promise<void> = Promise.resolve()
  /** Undefined while another process has the folder, or it cannot be written. */
  #holder: Holder | undefined
  #isRead = false
  #found: readonly string[] = []
  #problem: string | undefined
  #retryAt: Instant = 0
  #dumpAt: Instant
  #renewAt: Instant
  #number = 0
  #pending: Followed[] = []
  #segment = { name: '', hour: '', bytes: 0, isTorn: false }

  /** @param history the one that the journal feeds */
  constructor(options: StoreOptions, history: History) {
    this.#options = options
    this.#history = history
    const now = options.clock.now()
    this.#dumpAt = now + dumpMs
    this.#renewAt = now + renewMs
  }

  async begin(): Promise<void> {
    await this.#enter()
    this.#loop = this.#run()
  }

  /** Returns what the operator must know now: what could not be read, and why nothing is written. */
  warnings(): readonly string[] {
    return this.#problem === undefined ? this.#found : [...this.#found, this.#problem]
  }

  /** Writes the lives that ended since the last call. */
  flush(): Promise<void> {
    return this.#inOrder(() => this.#flush())
  }

  /** Writes everything, and releases the folder. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the store is closed'))
    await this.#loop
    await this.#inOrder(async () => {
      await this.#dump()
      const holder = this.#holder
      if (holder) await this.#attempt(() => releaseLock(this.#options.files, holder))
      this.#holder = undefined
    })
  }

  async #run(): Promise<void> {
    const { clock } = this.#options
    const { signal } = this.#closing
    while (!signal.aborted) {
      await clock.sleep(flushMs, signal).catch(() => undefined)
      if (!signal.aborted) await this.#inOrder(() => this.#tick(clock.now()))
    }
  }

  async #tick(now: Instant): Promise<void> {
    if (now >= this.#renewAt) {
      this.#renewAt = now + renewMs
      if (this.#holder) await this.#renew(this.#holder, now)
      else await this.#enter()
    }
    if (now < this.#dumpAt) return await this.#flush()
    this.#dumpAt = now + dumpMs
    await this.#dump()
  }

  /** Takes the folder, and reads it once. A folder that cannot be written is read all the same. */
  async #enter(): Promise<void> {
    const { files, clock, owner } = this.#options
    const now = clock.now()
    const entered = await this.#attempt(async () => {
      await files.list()
      return await takeLock(files, owner, now)
    })
    if (entered.is === 'done' && entered.value) {
      const { pid, host } = entered.value
      this.#problem = `Another process (pid ${pid} on ${host}) uses the folder ${files.folder}, so this one neither reads nor keeps the history. Give each process a folder of its own, or end the other one.`
      return
    }
    if (entered.is === 'done') this.#holder = { pid: owner.pid, host: owner.host, since: now }
    if (this.#isRead) return
    this.#isRead = true
    const problem = this.#problem
    const read = await this.#attempt(() => this.#read(now))
    if (read.is === 'done') this.#problem = problem
  }

  async #read(now: Instant): Promise<void> {
    const { files } = this.#options
    await this.#dropSurplus(now)
    const found = await files.list()
    const dumped = found.some(({ name }) => name === dumpName) ? await this.#readDump() : { number: 0, at: 0 }
    this.#number = dumped.number
    for (const { name } of segmentsOf(found)) {
      const { lines, warning } = await readSegment(files, name)
      if (warning !== undefined) this.#found = [...this.#found, warning]
      for (const { number, life } of lines) {
        const isCounted = number <= dumped.number
        this.#history.restoreLife(life, { isCounted, queuesUntil: dumped.at, at: now })
        this.#number = Math.max(this.#number, number)
      }
    }
  }

  /** Without a dump, the sums are made from the stored lives again. */
  async #readDump(): Promise<{ readonly number: number; readonly at: Instant }> {
    const { files } = this.#options
    try {
      const dump = readDump(JSON.parse((await files.read(dumpName)) ?? ''))
      if (!dump) throw new Error('it is no dump of this version')
      this.#history.restore(dump)
      return dump
    } catch (error) {
      await setAside(files, dumpName)
      this.#found = [...this.#found, asideText(files, dumpName, messageOf(error))]
      return { number: 0, at: 0 }
    }
  }

  /** Keeps the lives that ended since the last call until they are written. */
  #collect(): void {
    this.#pending.push(...this.#history.takeUnsaved())
    if (this.#pending.length > pendingMax) this.#pending.splice(0, this.#pending.length - pendingMax)
  }

  async #flush(): Promise<void> {
    this.#collect()
    if (this.#holder) await this.#append(this.#lines())
  }

  /** The lives and the sums are taken at one instant: each life is in the sums exactly if its number is in the dump. */
  async #dump(): Promise<void> {
    this.#collect()
    if (!this.#holder) return
    const { clock, files } = this.#options
    const now = clock.now()
    const lines = this.#lines()
    const text = this.#history.dump(now, this.#number)
    if (!(await this.#append(lines))) return
    await this.#attempt(async () => {
      await files.replace(dumpName, text)
      await this.#dropSurplus(now)
    })
  }

  #lines(): string {
    const lines = this.#pending.map((life) => {
      this.#number++
      return lineText({ number: this.#number, life })
    })
    return lines.join('')
  }

  /** Returns whether all lives are written. */
  async #append(lines: string): Promise<boolean> {
    const { files, clock } = this.#options
    const now = clock.now()
    if (now < this.#retryAt) return false
    if (lines === '') return true
    const segment = this.#segmentAt(now)
    // A write that failed may have left a part of a line.
    const text = `${segment.isTorn ? '\n' : ''}${lines}`
    const { is } = await this.#attempt(() => files.append(segment.name, text))
    segment.isTorn = is === 'failed'
    if (is === 'failed') return false
    segment.bytes += text.length
    this.#pending = []
    return true
  }

  /** A new process begins a segment of its own, and a large one is continued in the next: the oldest ones can go. */
  #segmentAt(now: Instant) {
    const hour = segmentName(now, 0)
    const isFull = this.#segment.bytes > (this.#options.megabytes * megabyte) / 8
    if (this.#segment.hour === hour && !isFull) return this.#segment
    this.#segment = { name: segmentName(now, this.#number), hour, bytes: 0, isTorn: false }
    return this.#segment
  }

  async #dropSurplus(now: Instant): Promise<void> {
    const { files, days, megabytes } = this.#options
    const segments = segmentsOf(await files.list())
    if (!this.#holder) return
    for (const name of surplusOf(segments, now - days * dayMs, megabytes * megabyte)) await files.remove(name)
  }

  async #renew(holder: Holder, now: Instant): Promise<void> {
    const { files } = this.#options
    const renewed = await this.#attempt(() => renewLock(files, holder, now))
    if (renewed.is === 'failed' || renewed.value) return
    this.#holder = undefined
    this.#problem = `Another process took the folder ${files.folder}, so this one keeps the history no more. Give each process a folder of its own.`
  }

  /** A write that fails is one warning, until one succeeds. */
  async #attempt<Value>(task: () => Promise<Value>): Promise<Attempt<Value>> {
    try {
      const value = await task()
      this.#problem = undefined
      return { is: 'done', value }
    } catch (error) {
      this.#failed(error)
      return { is: 'failed' }
    }
  }

  #failed(error: unknown): void {
    const { files, clock } = this.#options
    this.#retryAt = clock.now() + renewMs
    this.#problem = `The history is not kept in ${files.folder}: ${messageOf(error)}. Free space, or allow writing there. Dayfly tries again each minute.`
  }

  /** One call after another: a dump must follow the lives that it counts. */
  #inOrder(task: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(task).catch((error) => this.#failed(error))
    return this.#work
  }
}

type Attempt<Value> = { readonly is: 'done'; readonly value: Value } | { readonly is: 'failed' }
