// The number of idle runners follows the hours of the week, and outdated idle runners are replaced, one at a time.
import { createGitHubEmulator } from '@dayfly/forge-emulators/github/emulator'
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { expect, it } from 'vitest'
import {
  confirmDeletions,
  end,
  namespace,
  openStage,
  podNames,
  pods,
  queue,
  run,
  type Stage,
  schedule,
  secrets,
  succeeded,
} from './stage.ts'

const seconds = (count: number) => count * 1_000
const minutes = (count: number) => seconds(count * 60)

/** Plays kubelet and runners: a pod starts within a second, its runner comes online, and a job takes half a minute. */
class Node {
  readonly #stage: Stage
  readonly #online = new Set<string>()
  readonly #busyUntil = new Map<string, number>()
  /** Pods whose runner never starts. */
  broken = (_name: string) => false
  /** The fewest idle runners since the last reset. */
  fewest = Number.POSITIVE_INFINITY
  jobsEnded = 0

  constructor(stage: Stage) {
    this.#stage = stage
  }

  get idle(): readonly string[] {
    return podNames(this.#stage).filter((name) => this.#online.has(name) && !this.#busyUntil.has(name))
  }

  get busy(): readonly string[] {
    return [...this.#busyUntil.keys()]
  }

  step(): void {
    const { clock, emulator } = this.#stage
    const ready = new Set(secrets(this.#stage))
    for (const { metadata } of pods(this.#stage)) {
      const { name } = metadata
      if (metadata.deletionTimestamp !== undefined || !ready.has(name)) continue
      const busyUntil = this.#busyUntil.get(name)
      if (!this.#online.has(name)) {
        if (this.broken(name)) continue
        schedule(this.#stage, name)
        run(this.#stage, name)
        emulator.control.stub.online(name)
        this.#online.add(name)
      } else if (busyUntil === undefined) {
        if (emulator.control.stub.start(name) === 'started') this.#busyUntil.set(name, clock.now() + seconds(30))
      } else if (clock.now() >= busyUntil) {
        emulator.control.stub.finish(name, succeeded)
        end(this.#stage, name)
        this.#busyUntil.delete(name)
        this.jobsEnded++
      }
    }
    confirmDeletions(this.#stage)
    this.fewest = Math.min(this.fewest, this.idle.length)
  }

  async work(ms: number, stepMs = 1_000): Promise<void> {
    const until = this.#stage.clock.now() + ms
    while (this.#stage.clock.now() < until) {
      this.step()
      await this.#stage.clock.advance(Math.min(stepMs, until - this.#stage.clock.now()))
    }
  }
}

async function open(start: string, spec: object) {
  const clock = virtualClock(Date.parse(start))
  const knobs = { longPollMs: 50_000, latencyMs: 150 }
  const emulator = createGitHubEmulator({ clock, random: seededRandom(1), knobs })
  const stage = await openStage({ beside: { clock, emulator }, forgeMs: 150, apiMs: 50, spec })
  return { stage, node: new Node(stage) }
}

function changeTemplate(stage: Stage, label: string): void {
  const set = stage.registry.get('runnersets.dayfly.dev', namespace, 'linux')
  const spec = { ...(set?.['spec'] as object), template: { metadata: { labels: { team: label } } } }
  stage.registry.update('runnersets.dayfly.dev', { ...set, spec })
}

const withLabel = (stage: Stage, label: string) =>
  pods(stage).flatMap(({ metadata }) => (metadata.labels?.['team'] === label ? [metadata.name] : []))

it('keeps as many idle runners as the hours ask for, while clocks are set back', async () => {
  const schedule = [
    { timeZone: 'Europe/Berlin', days: ['Sun'], from: '02:30', to: '02:45', min: 3 },
    { timeZone: 'Europe/Berlin', days: ['Sun'], from: '03:00', to: '03:05', min: 5 },
  ]
  const { stage, node } = await open('2026-10-25T00:28:00Z', { scale: { min: 1, max: 8, schedule } })
  const idleAt = async (text: string) => {
    await node.work(Date.parse(text) - stage.clock.now(), 20_000)
    return node.idle.length
  }
  expect(await idleAt('2026-10-25T00:29:30Z')).toBe(1)
  expect(await idleAt('2026-10-25T00:31:00Z')).toBe(3)
  // 02:45 is shown twice, and the window ends the second time.
  expect(await idleAt('2026-10-25T01:44:00Z')).toBe(3)
  expect(await idleAt('2026-10-25T01:48:00Z')).toBe(1)
  expect(await idleAt('2026-10-25T02:01:00Z')).toBe(5)
}, 60_000)

it('replaces idle runners of an earlier template, and leaves one with a job alone', async () => {
  const { stage, node } = await open('2026-11-27T08:00:00Z', { scale: { min: 3, max: 8 } })
  await node.work(minutes(1))
  const [job] = queue(stage, 1)
  await node.work(seconds(10), 100)
  const [busy] = node.busy
  expect([node.idle.length, node.busy.length]).toEqual([3, 1])
  node.broken = () => true
  node.fewest = 3
  changeTemplate(stage, 'new')
  await node.work(seconds(15))
  expect([node.busy, node.idle.length, withLabel(stage, 'new').length]).toEqual([[busy], 3, 1])
  await node.work(minutes(5))
  expect([node.fewest, stage.emulator.control.job(job!.id)?.result]).toEqual([3, 'succeeded'])
  node.broken = () => false
  await node.work(minutes(10))
  expect([node.fewest, node.idle.length]).toEqual([3, 3])
  expect(withLabel(stage, 'new').toSorted()).toEqual(node.idle.toSorted())
})

it.each([{ idleMax: '5m' }, { lifeMax: '10m' }])(
  'replaces old idle runners while jobs arrive, and no job is lost or runs twice: %j',
  async (bound) => {
    const { stage, node } = await open('2026-11-27T08:00:00Z', { scale: { min: 3, max: 8 }, ...bound })
    await node.work(minutes(1))
    const first = node.idle
    node.fewest = 3
    await node.work(minutes(10))
    expect([node.fewest, node.idle.filter((name) => first.includes(name))]).toEqual([3, []])
    const ids: string[] = []
    for (let round = 0; round < 25; round++) {
      ids.push(...queue(stage, 1 + (round % 2)).map(({ id }) => id))
      await node.work(seconds(10) + round * 137, 250)
    }
    await node.work(minutes(3))
    const jobs = ids.map((id) => stage.emulator.control.job(id))
    expect(jobs.map((one) => [one?.state, one?.result, one?.attempt])).toEqual(
      ids.map(() => ['completed', 'succeeded', 1]),
    )
    expect([node.jobsEnded, node.idle.length]).toEqual([ids.length, 3])
    const reasons = stage.registry.list('events').map(({ reason }) => reason)
    expect(reasons).not.toContain('RunnerFailed')
  },
)
