import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type VirtualClock, virtualClock } from '@dayfly/kit/virtual-clock'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { facts, goodLife, hour, minute, namedJob, second, start } from '../history/history.fixture.ts'
import { History } from '../history/history.ts'
import type { Files } from './files.ts'
import { folderFiles, thisProcess } from './folder-files.ts'
import type { Owner } from './lock.ts'
import { MemoryFiles } from './memory-files.fixture.ts'
import { openStore } from './store.ts'

const day = 24 * hour
const owner: Owner = { pid: 1, host: 'pod-1', isAlive: () => false }
type Opening = {
  readonly files?: Files
  readonly clock?: VirtualClock
  readonly owner?: Owner
  readonly megabytes?: number
}

/** A process with a history that leads, and its store. */
async function opened({ files = new MemoryFiles(), clock = virtualClock(start), ...more }: Opening = {}) {
  const history = new History()
  history.describe(facts)
  const store = await openStore({ files, clock, owner, days: 7, megabytes: 10, ...more }, history)
  history.take({ at: clock.now(), event: { kind: 'leadership-gained', identity: 'pod-1' } })
  const seconds = () => (clock.now() - start) / second
  const take = (entries: ReturnType<typeof goodLife>) => {
    for (const { at, event } of entries) history.take({ at: at + clock.now() - start, event })
  }
  return {
    files: files as MemoryFiles,
    clock,
    history,
    store,
    seconds,
    live: (runner: string) => take(goodLife(runner, -80, namedJob(runner))),
    begin: (runner: string) => take(goodLife(runner, -80, namedJob(runner)).slice(0, 5)),
    end: (runner: string) => take(goodLife(runner, -80, namedJob(runner)).slice(5)),
    runners: () => [...history.lives()].map(({ runner }) => runner),
    jobs: () => history.trends('7d', clock.now()).all.jobs,
    costs: () => history.costs('7d', clock.now(), null).sets[0],
  }
}

type Opened = Awaited<ReturnType<typeof opened>>

/** The process dies without a word, and another one opens its folder. */
async function crashed({ files, clock }: Opened) {
  const copy = new MemoryFiles()
  for (const [name, text] of files.texts) copy.texts.set(name, text)
  return await opened({ files: copy, clock })
}

describe('a store', () => {
  it('brings lives, sums, failures and marks back after an orderly end', async () => {
    const first = await opened()
    await first.clock.advance(minute * 2)
    first.live('a')
    first.history.take({
      at: first.clock.now(),
      event: {
        kind: 'forge-failed',
        namespace: 'ci',
        set: 'linux',
        failure: { reason: 'forge-unreachable', message: 'x' },
      },
    })
    const before = first.history.life('ci/a')
    await first.store.close()
    expect([...first.files.texts.keys()].filter((name) => name.startsWith('lock'))).toEqual([])
    await first.clock.advance(minute)
    const next = await opened(first)
    expect(next.history.life('ci/a')).toEqual(before)
    expect([next.jobs(), next.costs()]).toEqual([1, first.costs()])
    expect(next.history.failures()).toMatchObject([{ count: 1 }])
    expect(next.history.marks()).toMatchObject([{ at: start }, { at: first.clock.now() }])
    expect(next.history.since()).toBe(start)
    expect(next.store.warnings()).toEqual([])
  })

  it('says after a long pause that the history is incomplete', async () => {
    const first = await opened()
    await first.store.close()
    await first.clock.advance(hour)
    expect((await opened(first)).history.since()).toBe(start + hour)
  })

  it('writes in batches, and no life twice', async () => {
    const { files, clock, live } = await opened()
    for (const runner of ['a', 'b', 'c']) live(runner)
    await clock.advance(10 * second)
    expect(files.writes).toEqual(['create lock.json', expect.stringMatching(/^append lives-2026-01-01T00-/)])
    expect([...files.texts.values()].join('').match(/"runner":"a"/g)).toHaveLength(1)
  })

  it('keeps what was flushed, and counts it once, after any sequence of lives, dumps and crashes', async () => {
    const step = fc.constantFrom('live', 'begin', 'end', 'flush', 'dump', 'crash', 'torn' as const)
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        let process = await opened()
        // So that all times of the first lives lie in the known time.
        await process.clock.advance(100 * second)
        const [begun, over, flushed, started, dumped] = [0, 1, 2, 3, 4].map(() => new Set<string>()) as [
          Set<string>,
          Set<string>,
          Set<string>,
          Set<string>,
          Set<string>,
        ]
        const flush = () => over.forEach((runner) => void flushed.add(runner))
        for (const [index, name] of steps.entries()) {
          const runner = `r${index}`
          await process.clock.advance(10)
          if (name === 'live' || name === 'begin') {
            process[name](runner)
            started.add(runner)
            ;(name === 'live' ? over : begun).add(runner)
          }
          if (name === 'end') {
            for (const one of begun) {
              process.end(one)
              over.add(one)
            }
            begun.clear()
          }
          if (name === 'flush') await process.store.flush().then(flush)
          if (name === 'dump') {
            await process.clock.advance(3 * minute)
            flush()
            for (const one of started) dumped.add(one)
          }
          if (name === 'crash' || name === 'torn') {
            for (const [file, text] of process.files.texts) {
              if (name === 'torn' && file.startsWith('lives-'))
                process.files.texts.set(file, `${text}{"n":9,"life":{"id":"ci/ä`)
            }
            process = await crashed(process)
            await process.clock.advance(100 * second)
            for (const one of [begun, over, started]) one.clear()
            for (const one of flushed) over.add(one)
            for (const one of dumped) started.add(one)
            expect(process.store.warnings()).toEqual([])
            expect(new Set(process.runners())).toEqual(flushed)
            expect(process.jobs()).toBe(new Set([...flushed, ...dumped]).size)
            expect(process.costs()?.jobs ?? 0).toBe(flushed.size)
          }
        }
      }),
      { numRuns: 60 },
    )
  })
})

describe('a folder', () => {
  const stored = async () => {
    const first = await opened()
    first.live('a')
    await first.store.flush()
    await first.clock.advance(hour)
    first.live('b')
    await first.store.close()
    const segments = [...first.files.texts.keys()].filter((name) => name.startsWith('lives-')).sort()
    return { first, segments }
  }

  it.each<[string, (text: string) => string, number]>([
    ['a whole segment', () => '\u0000\u0001garbage\n', 1],
    ['a line of another program', (text) => `{"n":1}\n${text}`, 2],
    ['a line that ends early', (text) => `{"n":1,"life"\n${text}`, 2],
  ])('sets %s aside, names it, and loses nothing else', async (_what, broken, lives) => {
    const { first, segments } = await stored()
    const name = segments[0] ?? ''
    const text = first.files.texts.get(name) ?? ''
    first.files.texts.set(name, broken(text))
    const next = await opened(first)
    expect(next.runners()).toHaveLength(lives)
    expect(next.store.warnings()).toEqual([
      expect.stringContaining(`The file ${name} in /var/lib/dayfly was set aside as ${name}.broken:`),
    ])
    expect(next.files.texts.get(`${name}.broken`)).toBe(broken(text))
    await next.store.close()
    expect((await opened(first)).store.warnings()).toEqual([])
  })

  it('makes the sums from the lives again if the dump is broken', async () => {
    const { first } = await stored()
    first.files.texts.set('sums.json', '{"format":1')
    const next = await opened(first)
    expect(next.store.warnings()).toEqual([expect.stringContaining('sums.json.broken')])
    expect([next.jobs(), next.costs()]).toEqual([2, first.costs()])
  })

  it('loses the segments that are too old or too many, the oldest first', async () => {
    const { first, segments } = await stored()
    await first.clock.advance(7 * day + 30 * minute)
    const late = await opened(first)
    expect(late.runners()).toEqual(['b'])
    await late.store.close()
    const small = await opened({ files: late.files, clock: late.clock, megabytes: 0.000_1 })
    expect(small.runners()).toEqual([])
    expect([...small.files.texts.keys()]).not.toContain(segments[1])
  })

  it('costs one warning and no life while its disk is full, and the journal goes on', async () => {
    const { files, clock, live, store } = await opened()
    files.failure = new Error('ENOSPC: no space left on device')
    for (const runner of ['a', 'b', 'c']) {
      live(runner)
      await clock.advance(hour)
    }
    expect(store.warnings()).toEqual([
      'The history is not kept in /var/lib/dayfly: ENOSPC: no space left on device. Free space, or allow writing there. Dayfly tries again each minute.',
    ])
    files.failure = undefined
    await clock.advance(2 * minute)
    expect(store.warnings()).toEqual([])
    await store.close()
    expect(new Set((await opened({ files, clock })).runners())).toEqual(new Set(['a', 'b', 'c']))
  })

  it('is read if it is read-only', async () => {
    const { first } = await stored()
    first.files.failure = new Error('EROFS: read-only file system')
    const next = await opened(first)
    expect(next.runners()).toEqual(['a', 'b'])
    expect(next.store.warnings()).toEqual([expect.stringContaining('EROFS')])
    await next.store.close()
  })
})

describe('a second process', () => {
  const other = (isAlive: boolean, host = 'pod-1', pid = 2): Owner => ({ pid, host, isAlive: () => isAlive })

  it.each<[string, Owner, number, boolean]>([
    ['the first one lives on this host', other(true), 0, false],
    ['the first one lives, and renews its lock', other(true), 10 * minute, false],
    ['the first one has died', other(false), 0, true],
    ['the first one had our pid in an earlier container', other(true, 'pod-1', 1), 0, true],
    ['the first one is on another host', other(false, 'pod-2'), minute, false],
  ])('%s', async (_name, second, later, isFree) => {
    const first = await opened()
    first.live('a')
    await first.store.flush()
    await first.clock.advance(later)
    const next = await opened({ files: first.files, clock: first.clock, owner: second })
    expect(next.runners()).toEqual(isFree ? ['a'] : [])
    expect(next.store.warnings()).toEqual(
      isFree ? [] : [expect.stringContaining('Another process (pid 1 on pod-1) uses the folder /var/lib/dayfly')],
    )
  })

  it('takes over from one on another host that does not renew its lock, and reads then', async () => {
    const first = await opened()
    first.live('a')
    await first.store.flush()
    const files = new MemoryFiles()
    for (const [name, text] of first.files.texts) files.texts.set(name, text)
    const next = await opened({ files, clock: first.clock, owner: other(true, 'pod-2') })
    next.live('b')
    expect(next.runners()).toEqual(['b'])
    await next.clock.advance(5 * minute)
    expect(next.store.warnings()).toEqual([])
    expect(new Set(next.runners())).toEqual(new Set(['a', 'b']))
    expect(next.jobs()).toBe(2)
  })

  it('makes the first one stop if it takes the folder', async () => {
    const { files, clock, store, live } = await opened()
    files.texts.set('lock.json', JSON.stringify({ pid: 9, host: 'pod-9', since: start, at: start }))
    await clock.advance(minute)
    expect(store.warnings()).toEqual([expect.stringContaining('Another process took the folder')])
    const before = files.writes.length
    live('a')
    await clock.advance(10 * second)
    expect(files.writes.length).toBe(before)
  })
})

it('works in a real folder', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'dayfly-store-'))
  try {
    const files = folderFiles(path.join(folder, 'history'))
    const first = await opened({ files, owner: thisProcess() })
    first.live('a')
    await first.store.close()
    const next = await opened({ files, owner: thisProcess(), clock: first.clock })
    expect([next.runners(), next.jobs(), next.store.warnings()]).toEqual([['a'], 1, []])
    await next.store.close()
    expect((await files.list()).map(({ name }) => name).sort()).toEqual([expect.stringMatching(/^lives-/), 'sums.json'])
  } finally {
    await rm(folder, { recursive: true })
  }
})
