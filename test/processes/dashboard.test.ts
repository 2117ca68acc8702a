// Tests the page's data of the built controller: what it says agrees with `dayfly explain`, and it survives the process.
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Found, RunnerDetail } from '@dayfly/dashboard/model/details'
import type { Snapshot } from '@dayfly/dashboard/model/page-state'
import type { Trends } from '@dayfly/dashboard/model/trends'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { until } from '../cli.ts'
import { accountToken, type ControllerWorld, forgeToken, openControllerWorld } from '../controller/process-world.ts'

const waitMs = 90_000
const timeout = 180_000
let world: ControllerWorld

beforeEach(async () => {
  world = await openControllerWorld({ apiMs: 100, forgeMs: 150 })
  world.install()
})
afterEach(() => world.close())

/** Starts a controller with the page. */
async function startWithPage(...args: readonly string[]) {
  const controller = world.start('--dashboard-address', '127.0.0.1:0', ...args)
  const line = await controller.saw('dashboard-listening')
  const get = async <T>(name: string, query: Readonly<Record<string, string>> = {}): Promise<T> => {
    const answer = await fetch(`${line['address']}/api/${name}?${new URLSearchParams(query)}`)
    if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as T
  }
  const snapshot = () => get<Snapshot>('snapshot')
  const first = (sentence: string, holds: (snapshot: Snapshot) => boolean) =>
    until(sentence, waitMs, async () => {
      const shown = await snapshot().catch(() => undefined)
      return shown && holds(shown) ? shown : undefined
    })
  return { controller, get, snapshot, first }
}

/** Runs `dayfly explain` and returns the plan's reason. */
async function explained(): Promise<string | null> {
  const { stdout } = await world.run('explain', 'linux', '-n', 'ci', '--json')
  return (JSON.parse(stdout) as { readonly plan: { readonly why: string | null } }).plan.why
}

/** Lets only one pod live in the namespace of the set. */
function limitPods(): void {
  const metadata = { name: 'one', namespace: 'ci' }
  world.registry.create('resourcequotas', {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata,
    spec: { hard: { pods: '1' } },
  })
}

describe('the page and explain', () => {
  test.each<[string, () => void, RegExp]>([
    ['without room in its quota', limitPods, /ResourceQuota one has room for 1/],
    ['that is paused', () => world.change({ paused: true }), /^The set is paused/],
    [
      'with a template that is refused',
      () => world.change({ template: { spec: { containers: [{ name: 'runner', image: 'any', ports: [{}] }] } } }),
      /^The API server refuses the pod template: .*containerPort/,
    ],
  ])('give one reason for a set %s', { timeout }, async (_state, change, reason) => {
    const { snapshot } = await startWithPage()
    change()
    world.queue(3, 60)
    // Each attempt names another pod, so both are read again until they say the same at one time.
    const shown = await until('the page and explain give the reason', waitMs, async () => {
      const why = await explained()
      const page = await snapshot().catch(() => undefined)
      return why !== null && reason.test(why) && page?.sets[0]?.why === why ? page : undefined
    })
    // Nobody asks the forge of a paused set, so its demand is unknown.
    const why = shown.sets[0]?.why ?? ''
    if (shown.sets[0]?.waiting) expect(shown.head.sentence).toContain(why.slice(1).replace(/\.$/, ''))
  })
})

test('the past is there again after kill -9, and a broken file is named and set aside', { timeout }, async () => {
  const folder = path.join(world.own, 'history')
  const before = await startWithPage('--dashboard-history', folder)
  world.queue(4)
  const ended = await before.first('four lives are over', ({ lives }) => lives.filter(isOver).length === 4)
  const { jobs } = (await before.get<Trends>('trends', { window: '1h' })).all
  expect(jobs).toBe(4)
  const lines = () =>
    segments(folder).flatMap((name) => readFileSync(path.join(folder, name), 'utf8').match(/\n/g) ?? [])
  await until('they are stored', waitMs, () => lines().length >= 4)
  before.controller.child.kill('SIGKILL')
  await before.controller.ended
  const [segment = ''] = segments(folder)
  appendFileSync(path.join(folder, segment), 'not a life\n{"torn":')

  const after = await startWithPage('--dashboard-history', folder)
  const again = await after.first('the past is there', ({ lives }) => lives.filter(isOver).length === 4)
  const known = ({ lives }: Snapshot) => lives.map(({ id, job, result }) => [id, job?.id, result]).sort()
  expect(known(again)).toEqual(known(ended))
  expect((await after.get<Trends>('trends', { window: '1h' })).all.jobs).toBe(4)
  expect(String((await after.controller.saw('history-failed'))['message'])).toContain(segment)
  expect(readdirSync(folder).filter((name) => name.endsWith('.broken'))).toHaveLength(1)
})

const segments = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.jsonl'))
const isOver = ({ phase }: Snapshot['lives'][number]) => phase === 'gone'

test('a runner that is gone still has its steps, its Events and its job; and nothing served holds a secret', {
  timeout,
}, async () => {
  const { first, get, snapshot } = await startWithPage()
  world.queue(1)
  const { lives } = await first('the life is over', ({ lives: all }) => all.some(isOver))
  const [life] = lives
  const id = life?.id ?? ''
  const detail = await get<RunnerDetail>('runner', { id })
  const names = detail.timeline.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['queued', 'registered', 'created', 'online', 'ended', 'gone']))
  expect(detail.timeline.every(({ tookMs }) => tookMs === null || tookMs >= 0)).toBe(true)
  expect(detail.events?.map(({ reason }) => reason)).toContain('Scheduled')
  const found = await get<Found>('find', { q: `${life?.job?.url}/job/1?pr=2` })
  expect(found.jobs).toMatchObject([{ is: 'ended', life: { id } }])
  const names2 = ['snapshot', 'trends', 'costs', 'find'] as const
  const served = await Promise.all(names2.map((name) => get<unknown>(name, { q: 'job' })))
  const text = JSON.stringify([detail, await snapshot(), ...served])
  for (const secret of [forgeToken, accountToken]) {
    expect(text).not.toContain(secret)
    expect(text).not.toContain(Buffer.from(secret).toString('base64'))
  }
})

/** One job runs, and a quota keeps the others at the forge. */
const isShort = (set: Snapshot['sets'][number] | undefined) =>
  set?.waiting === 0 && set.counts?.busy === 1 && /ResourceQuota one has room for 1/.test(set.why ?? '')

test('dayfly dashboard shows the same set and reason from outside, and what it cannot know', { timeout }, async () => {
  const inside = await startWithPage()
  limitPods()
  world.queue(3, 60)
  await inside.first('the reason', ({ sets }) => isShort(sets[0]))
  const cli = world.cli('dashboard', '-n', 'ci', '--port', '0')
  const [, address] = await cli.saw(/served on (http:\S+)\. Press/)
  const shown = await until('the reason', waitMs, async () => {
    const snapshot = (await (await fetch(`${address}/api/snapshot`)).json()) as Snapshot
    return isShort(snapshot.sets[0]) ? snapshot : undefined
  })
  expect(shown.lives).toMatchObject([{ phase: 'busy', job: { name: 'job' } }])
  expect(shown.head.limits[0]).toMatch(/from outside.*--dashboard-address/)
  cli.child.kill('SIGINT')
  expect((await cli.ended).code).toBe(130)
})
