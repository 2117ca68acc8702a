import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Changes, EntityKind, Snapshot } from '../model/page-state.ts'
import { entityKinds } from '../model/page-state.ts'
import { Board, type Frame } from './board.ts'
import { sampleLife, sampleSet, start } from './samples.fixture.ts'
import { everything, ofNamespaces } from './scope.ts'

const frame = { head: {}, marks: [] } as unknown as Frame
const setOf = (number: number, max: number) => sampleSet(`ns${number % 3}/s${number}`, { max })

/** Applies changes as a page does. */
function applied(state: Snapshot, { put, gone, version }: Changes): Snapshot {
  const next: Record<string, unknown> = { ...state, version }
  for (const kind of entityKinds) {
    const entities = new Map(state[kind].map((entity) => [entity.id, entity] as const))
    for (const id of gone[kind] ?? []) entities.delete(id)
    for (const entity of put[kind] ?? []) entities.set(entity.id, entity as never)
    next[kind] = [...entities.values()]
  }
  return next as Snapshot
}

const byId = (state: Snapshot) =>
  Object.fromEntries(
    entityKinds.map((kind: EntityKind) => [kind, [...state[kind]].sort((a, b) => (a.id < b.id ? -1 : 1))]),
  )

describe('a viewer', () => {
  it('has the same as a new snapshot after any changes that it missed', () => {
    const step = fc.tuple(fc.constantFrom('put', 'remove', 'look'), fc.nat(8), fc.nat(3))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.boolean(), (steps, isScoped) => {
        const scope = isScoped ? ofNamespaces(['ns1']) : everything
        const board = new Board()
        let viewed = board.snapshot(scope, frame, start)
        for (const [does, number, max] of steps) {
          if (does === 'put') board.put('sets', setOf(number, max))
          if (does === 'remove') board.remove('sets', setOf(number, 0).id)
          const changes = does === 'look' ? board.since(viewed.version, scope, start) : undefined
          if (changes) viewed = applied(viewed, changes)
        }
        const last = board.since(viewed.version, scope, start)
        expect(last && byId(applied(viewed, last))).toEqual(byId(board.snapshot(scope, frame, start)))
      }),
    )
  })

  it('sees only its namespaces, also of what is gone', () => {
    const board = new Board()
    const scope = ofNamespaces(['ns1'])
    board.put('lives', sampleLife('ns1/a', 'ns1/s'))
    board.put('lives', sampleLife('ns2/b', 'ns2/s'))
    expect(board.snapshot(scope, frame, start).lives.map(({ id }) => id)).toEqual(['ns1/a'])
    const { version } = board
    board.remove('lives', 'ns1/a')
    board.remove('lives', 'ns2/b')
    expect(board.since(version, scope, start)?.gone).toEqual({ lives: ['ns1/a'] })
  })

  it('gets a snapshot if it is too far behind, or from another process', () => {
    const board = new Board(0, 10)
    for (let number = 0; number < 13; number++) board.put('sets', sampleSet('ns/s', { max: number }))
    expect(board.since(2, everything, start)).toBeUndefined()
    expect(board.since(3, everything, start)?.put.sets).toHaveLength(1)
    expect(board.since(board.version + 1, everything, start)).toBeUndefined()
  })
})

it('an entity that is equal to the shown one is no change', () => {
  const board = new Board()
  board.put('sets', setOf(1, 1))
  const { version } = board
  board.put('sets', setOf(1, 1))
  expect(board.version).toBe(version)
})
