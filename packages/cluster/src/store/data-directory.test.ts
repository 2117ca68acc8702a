// The journal on a real disk: a cut at any byte loses no change that the store acknowledged before that byte.
import {
  closeSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { type DataDirectoryError, openDataDirectory } from './data-directory.ts'
import { encodeChange, encodeSnapshot, recover } from './journal-format.ts'
import type { StoredObject } from './object.ts'
import { createStore, type Store } from './store.ts'

const directories: string[] = []
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true })
})

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'dayfly-data-'))
  directories.push(directory)
  return directory
}

function pod(name: string, data = 'x'): StoredObject {
  const metadata = { name, namespace: 'ci', uid: name, resourceVersion: '', creationTimestamp: '' }
  return { apiVersion: 'v1', kind: 'Pod', metadata, data }
}

function rethrow(failure: Error): never {
  throw failure
}

async function openStore(directory: string) {
  const data = await openDataDirectory(directory, virtualClock(), rethrow)
  return { store: createStore({ data }), close: data.close }
}

function contents(store: Store): string {
  return JSON.stringify([store.revision(), store.list('pods')])
}

/** Writes, replaces and removes a few of the pods. Returns the file's size and the contents after each change. */
function live(store: Store, file: string, changes: readonly number[]) {
  const moments = [{ size: readFileSync(file).length, contents: contents(store) }]
  for (const change of changes) {
    const name = `p${change % 5}`
    if (change % 3 === 0) store.remove('pods', `ci/${name}`)
    else store.put('pods', pod(name, 'é'.repeat(change % 40)))
    moments.push({ size: readFileSync(file).length, contents: contents(store) })
  }
  return moments
}

test('a store whose journal is cut at any byte has every change that was whole, and goes on from there', async () => {
  const directory = newDirectory()
  const file = join(directory, 'journal')
  const first = await openStore(directory)
  const moments = live(first.store, file, [1, 2, 4, 3, 5, 7, 6, 8, 1])
  await first.close()
  const whole = readFileSync(file)
  const start = moments[0]?.size ?? 0
  for (let cut = start; cut <= whole.length; cut++) {
    const expected = moments.findLast(({ size }) => size <= cut)?.contents
    const recovery = recover(whole.subarray(0, cut))
    if (recovery.is !== 'recovered') throw new Error(`cut at ${cut}: ${recovery.is}`)
    const data = { restored: recovery.snapshot, append: () => {}, compact: () => {} }
    expect(contents(createStore({ data })), `cut at ${cut}`).toBe(expected)
    if (cut % 41 > 0) continue
    writeFileSync(file, whole.subarray(0, cut))
    const { store, close } = await openStore(directory)
    const revision = store.revision()
    store.put('pods', pod('after'))
    const after = contents(store)
    await close()
    const again = await openStore(directory)
    expect([contents(again.store), again.store.revision()]).toEqual([after, revision + 1])
    await again.close()
  }
})

test('a long history that is cut at any byte is recovered up to its last whole record', () => {
  const change = fc.record({ name: fc.integer({ min: 0, max: 30 }), size: fc.nat(300), removes: fc.boolean() })
  const property = fc.property(
    fc.array(change, { maxLength: 300 }),
    fc.double({ min: 0, max: 1, noNaN: true }),
    (changes, share) => {
      const parts = [...encodeSnapshot({ revision: 0, objects: [] })]
      const ends = [Buffer.concat(parts).length]
      const memory = createStore({
        data: {
          restored: { revision: 0, objects: [] },
          compact: () => {},
          append: (appended) => {
            parts.push(encodeChange(appended))
            ends.push((ends.at(-1) ?? 0) + (parts.at(-1)?.length ?? 0))
          },
        },
      })
      for (const { name, size, removes } of changes) {
        if (removes) memory.remove('pods', `ci/p${name}`)
        else memory.put('pods', pod(`p${name}`, '\n'.repeat(size)))
      }
      const file = Buffer.concat(parts)
      const [start = 0] = ends
      const cut = start + Math.floor((file.length - start) * share)
      const recovery = recover(file.subarray(0, cut))
      const revision = ends.findLastIndex((end) => end <= cut)
      expect(recovery).toMatchObject({ is: 'recovered', bytes: ends[revision], snapshot: { revision } })
    },
  )
  fc.assert(property, { numRuns: 200 })
})

test('a changed byte before the last record is refused with its place, and the file stays as it is', async () => {
  const directory = newDirectory()
  const file = join(directory, 'journal')
  const { store, close } = await openStore(directory)
  const moments = live(store, file, [1, 2, 4, 5])
  await close()
  const whole = readFileSync(file)
  for (let at = 0; at < (moments.at(-2)?.size ?? 0); at++) {
    const damaged = Buffer.from(whole)
    damaged[at] = (damaged[at] ?? 0) ^ 1
    writeFileSync(file, damaged)
    const found = await openDataDirectory(directory, virtualClock(), rethrow).catch((error: unknown) => error)
    expect(found, `byte ${at}`).toMatchObject({ path: file, reason: at < 17 ? 'foreign' : 'damaged' })
    expect(readFileSync(file).equals(damaged)).toBe(true)
  }
})

test('a journal without the rest of its snapshot is refused', async () => {
  const objects = ['a', 'b'].map((name) => ({ resource: 'pods', object: pod(name) }))
  const file = Buffer.concat([...encodeSnapshot({ revision: 9, objects })])
  expect(recover(file)).toMatchObject({ is: 'recovered', snapshot: { revision: 9 } })
  expect(recover(file.subarray(0, file.length - 1))).toMatchObject({
    is: 'damaged',
    why: expect.stringContaining('1 rec'),
  })
})

test('two processes cannot share a directory', async () => {
  const directory = newDirectory()
  const { close } = await openStore(directory)
  await expect(openStore(directory)).rejects.toMatchObject({ reason: 'in-use' })
  await close()
  await (await openStore(directory)).close()
})

test('a journal that grew is replaced by a snapshot with the same contents', async () => {
  const directory = newDirectory()
  const file = join(directory, 'journal')
  const first = await openStore(directory)
  for (let index = 0; index < 400; index++) first.store.put('pods', pod(`p${index % 7}`, 'x'.repeat(100_000)))
  const before = contents(first.store)
  await first.close()
  expect(readFileSync(file).length).toBeLessThan(20_000_000)
  const again = await openStore(directory)
  expect(contents(again.store)).toBe(before)
  await again.close()
})

test('a watch from before the restart has expired, and one from the last revision goes on', async () => {
  const directory = newDirectory()
  const first = await openStore(directory)
  first.store.put('pods', pod('a'))
  first.store.put('pods', pod('b'))
  await first.close()
  const { store, close } = await openStore(directory)
  const seen: string[] = []
  expect(store.watchFrom('pods', 1, () => {}).is).toBe('expired')
  expect(store.listAt('pods', 1)).toBe(undefined)
  expect(store.watchFrom('pods', 2, ({ object }) => seen.push(object.metadata.resourceVersion)).is).toBe('watching')
  store.put('pods', pod('c'))
  expect(seen).toEqual(['3'])
  await close()
})

test('a change that cannot be written is not committed', () => {
  const append = () => {
    throw new Error('no space left')
  }
  const store = createStore({ data: { restored: { revision: 5, objects: [] }, compact: () => {}, append } })
  expect(() => store.put('pods', pod('a'))).toThrow('no space left')
  expect([store.revision(), store.list('pods')]).toEqual([5, []])
})

/**
 * Closes the journal behind the back of the store, so that the kernel refuses every further call on it.
 * The kernel shows the real path of a handle, and /tmp can be a link: in a container of the process runtime it is one.
 */
function breakJournal(file: string): void {
  const path = realpathSync(file)
  const handles = readdirSync('/proc/self/fd').filter((handle) => linkOf(handle) === path)
  expect(handles.length).toBe(1)
  closeSync(Number(handles[0]))
}

function linkOf(handle: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${handle}`)
  } catch {
    return ''
  }
}

test.each(['write', 'fsync'] as const)(
  'after a failed %s, no change is accepted and what was acknowledged stays',
  async (call) => {
    const directory = newDirectory()
    const file = join(directory, 'journal')
    const clock = virtualClock()
    const failures: DataDirectoryError[] = []
    const data = await openDataDirectory(directory, clock, (failure) => failures.push(failure))
    const store = createStore({ data })
    store.put('pods', pod('a'))
    const before = contents(store)
    breakJournal(file)
    if (call === 'fsync') {
      await clock.advance(2_000)
      await expect.poll(() => failures.length).toBe(1)
    }
    for (const name of ['b', 'c']) expect(() => store.put('pods', pod(name))).toThrow('cannot be written: EBADF')
    expect(contents(store)).toBe(before)
    await data.close()
    expect(failures).toMatchObject([{ reason: 'write-failed', path: file }])
    const again = await openStore(directory)
    expect(contents(again.store)).toBe(before)
    await again.close()
  },
)

test('zeros that a machine without power left behind are cut off', async () => {
  const directory = newDirectory()
  const file = join(directory, 'journal')
  const { store, close } = await openStore(directory)
  store.put('pods', pod('a'))
  const before = contents(store)
  await close()
  truncateSync(file, readFileSync(file).length + 4096)
  const again = await openStore(directory)
  expect(contents(again.store)).toBe(before)
  await again.close()
})
