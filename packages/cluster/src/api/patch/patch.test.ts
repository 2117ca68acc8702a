// The three patch types as pure functions: examples from their standards and from Kubernetes, and properties that hold
// for any document.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../errors.ts'
import { structOf } from '../fields/fields.ts'
import type { JsonObject } from '../values/json.ts'
import { applyMergePatch } from './apply-patch.ts'
import { applyJsonPatch } from './json-patch.ts'
import { applyStrategicMerge } from './strategic-merge.ts'

function code(run: () => unknown): number {
  try {
    run()
  } catch (error) {
    if (error instanceof ApiError) return error.status.code
    throw error
  }
  return 200
}

describe('JSON patch (RFC 6902, appendix A)', () => {
  test.each<[string, JsonObject, object[], unknown]>([
    ['adds a member', { foo: 'bar' }, [{ op: 'add', path: '/baz', value: 'qux' }], { baz: 'qux', foo: 'bar' }],
    ['adds an element', { foo: ['a', 'c'] }, [{ op: 'add', path: '/foo/1', value: 'b' }], { foo: ['a', 'b', 'c'] }],
    ['appends', { foo: ['a'] }, [{ op: 'add', path: '/foo/-', value: ['b'] }], { foo: ['a', ['b']] }],
    ['removes a member', { baz: 1, foo: 2 }, [{ op: 'remove', path: '/baz' }], { foo: 2 }],
    ['removes an element', { foo: ['a', 'b', 'c'] }, [{ op: 'remove', path: '/foo/1' }], { foo: ['a', 'c'] }],
    ['replaces', { baz: 1, foo: 2 }, [{ op: 'replace', path: '/baz', value: 'x' }], { baz: 'x', foo: 2 }],
    ['replaces the whole', { baz: 1 }, [{ op: 'replace', path: '', value: { a: 1 } }], { a: 1 }],
    [
      'moves a member',
      { foo: { bar: 1 }, qux: {} },
      [{ op: 'move', from: '/foo/bar', path: '/qux/x' }],
      { foo: {}, qux: { x: 1 } },
    ],
    [
      'moves an element',
      { foo: ['a', 'b', 'c'] },
      [{ op: 'move', from: '/foo/0', path: '/foo/2' }],
      { foo: ['b', 'c', 'a'] },
    ],
    ['copies', { a: { b: 1 } }, [{ op: 'copy', from: '/a', path: '/c' }], { a: { b: 1 }, c: { b: 1 } }],
    ['tests', { a: [1, { b: null }] }, [{ op: 'test', path: '/a', value: [1, { b: null }] }], { a: [1, { b: null }] }],
    ['tests a missing member', { a: 1 }, [{ op: 'test', path: '/b', value: null }], { a: 1 }],
    ['reads escaped names', { '/': 9, '~1': 10 }, [{ op: 'replace', path: '/~01', value: 1 }], { '/': 9, '~1': 1 }],
  ])('%s', (_, document, patch, expected) => {
    const before = JSON.stringify(document)
    expect(applyJsonPatch(document, patch)).toEqual(expected)
    expect(JSON.stringify(document)).toBe(before)
  })

  test.each<[string, object[], number]>([
    ['a failing test', [{ op: 'test', path: '/a', value: 2 }], 422],
    ['a missing parent', [{ op: 'add', path: '/b/c', value: 1 }], 422],
    ['a missing member', [{ op: 'remove', path: '/b' }], 422],
    ['a missing member to replace', [{ op: 'replace', path: '/b', value: 1 }], 422],
    ['an index out of range', [{ op: 'add', path: '/l/3', value: 1 }], 422],
    ['an index with a leading zero', [{ op: 'remove', path: '/l/01' }], 422],
    ['no pointer', [{ op: 'remove', path: 'a' }], 422],
    ['a prototype', [{ op: 'add', path: '/__proto__/polluted', value: 1 }], 422],
    ['an inherited member', [{ op: 'remove', path: '/constructor' }], 422],
    ['an unknown operation', [{ op: 'spam', path: '/a' }], 422],
    ['too many operations', Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/a', value: 1 })), 413],
    ['a copy bomb', Array.from({ length: 40 }, () => ({ op: 'copy', from: '/l', path: '/l/-' })), 422],
  ])('refuses %s', (_, patch, expected) => {
    expect(code(() => applyJsonPatch({ a: 1, l: [1, 2] }, patch))).toBe(expected)
  })
})

describe('merge patch (RFC 7386, appendix A)', () => {
  test.each<[JsonObject, JsonObject, JsonObject]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j with %j', (document, patch, expected) => {
    expect(applyMergePatch(document, patch)).toEqual(expected)
  })
})

const pod = structOf('Pod')
const strategic = (document: JsonObject, patch: JsonObject): JsonObject => applyStrategicMerge(document, patch, pod)
const containers = (...list: object[]): JsonObject => ({ spec: { containers: list } })

describe('strategic merge patch', () => {
  test.each<[string, JsonObject, JsonObject, JsonObject]>([
    [
      'merges a list by its key and appends new items',
      containers({ name: 'a', image: '1', tty: true }),
      containers({ name: 'a', image: '2' }, { name: 'b', image: '3' }),
      containers({ name: 'a', image: '2', tty: true }, { name: 'b', image: '3' }),
    ],
    [
      'merges lists within lists',
      containers({
        name: 'a',
        env: [
          { name: 'X', value: '1' },
          { name: 'Y', value: '2' },
        ],
      }),
      containers({ name: 'a', env: [{ name: 'Y', value: '3' }] }),
      containers({
        name: 'a',
        env: [
          { name: 'X', value: '1' },
          { name: 'Y', value: '3' },
        ],
      }),
    ],
    [
      'deletes an element',
      containers({ name: 'a' }, { name: 'b' }),
      containers({ name: 'a', $patch: 'delete' }),
      containers({ name: 'b' }),
    ],
    [
      'replaces a list',
      containers({ name: 'a' }),
      containers({ name: 'c' }, { $patch: 'replace' }),
      containers({ name: 'c' }),
    ],
    [
      'replaces an atomic list',
      { spec: { tolerations: [{ key: 'a' }] } },
      { spec: { tolerations: [{ key: 'b' }] } },
      { spec: { tolerations: [{ key: 'b' }] } },
    ],
    [
      'replaces a map',
      { metadata: { labels: { a: '1', b: '2' } } },
      { metadata: { labels: { $patch: 'replace', c: '3' } } },
      { metadata: { labels: { c: '3' } } },
    ],
    [
      'empties a map',
      { metadata: { labels: { a: '1' } } },
      { metadata: { labels: { $patch: 'delete' } } },
      { metadata: { labels: {} } },
    ],
    [
      'removes a field set to null',
      { metadata: { labels: { a: '1', b: '2' } } },
      { metadata: { labels: { a: null } } },
      { metadata: { labels: { b: '2' } } },
    ],
    [
      'joins lists of plain values',
      { metadata: { finalizers: ['a', 'b'] } },
      { metadata: { finalizers: ['b', 'c'] } },
      { metadata: { finalizers: ['a', 'b', 'c'] } },
    ],
    [
      'deletes from lists of plain values',
      { metadata: { finalizers: ['a', 'b'] } },
      { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } },
      { metadata: { finalizers: ['b'] } },
    ],
    [
      'puts a list in the given order and keeps items that only the server has',
      containers({ name: 'a' }, { name: 'server' }, { name: 'b' }),
      {
        spec: {
          '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }],
          containers: [{ name: 'b', image: 'x' }],
        },
      },
      containers({ name: 'server' }, { name: 'b', image: 'x' }, { name: 'a' }),
    ],
    [
      'orders a list that it does not change',
      { metadata: { finalizers: ['a', 'b', 'c'] } },
      { metadata: { '$setElementOrder/finalizers': ['c', 'a'] } },
      { metadata: { finalizers: ['b', 'c', 'a'] } },
    ],
    [
      'keeps only the named keys',
      { spec: { volumes: [{ name: 'v', emptyDir: {} }] } },
      { spec: { volumes: [{ name: 'v', $retainKeys: ['name', 'secret'], secret: { secretName: 's' } }] } },
      { spec: { volumes: [{ name: 'v', secret: { secretName: 's' } }] } },
    ],
    [
      'adds values without directives and nulls',
      {},
      {
        spec: {
          containers: [
            { name: 'a', image: null },
            { name: 'b', $patch: 'delete' },
          ],
        },
      },
      containers({ name: 'a' }),
    ],
  ])('%s', (_, document, patch, expected) => {
    const before = JSON.stringify(document)
    expect(strategic(document, patch)).toEqual(expected)
    expect(JSON.stringify(document)).toBe(before)
  })

  test.each<[string, JsonObject]>([
    ['an unknown directive', { spec: { $patch: 'explode' } }],
    ['an element without its key', containers({ image: 'x' })],
    ['an order that is not a list', { spec: { '$setElementOrder/containers': 1 } }],
    [
      "an order that differs from the patch's list",
      { spec: { '$setElementOrder/containers': [{ name: 'a' }], containers: [{ name: 'b' }] } },
    ],
    ['retained keys that omit a field of the patch', { spec: { $retainKeys: ['a'], containers: [] } }],
  ])('refuses %s', (_, patch) => {
    expect(code(() => strategic(containers({ name: 'a' }), patch))).toBe(400)
  })
})

const name = fc.constantFrom('a', 'b', 'c')
const env = fc.uniqueArray(fc.record({ name, value: fc.constantFrom('1', '2') }), { selector: (item) => item.name })
const container = fc.record({ name, image: fc.constantFrom('x', 'y'), env }, { requiredKeys: ['name'] })
const list = fc.uniqueArray(container, { selector: (item) => item.name })
const labels = fc.dictionary(name, fc.constantFrom('1', '2'))
const document: fc.Arbitrary<JsonObject> = fc.record(
  {
    metadata: fc.record({ labels, finalizers: fc.uniqueArray(name) }, { requiredKeys: [] }),
    spec: fc.record({ containers: list, hostname: name }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
)
const removal = fc.record({ name, $patch: fc.constant('delete') })
const patches: fc.Arbitrary<JsonObject> = fc.record(
  {
    metadata: fc.record(
      { labels: fc.dictionary(name, fc.constantFrom('1', null)), finalizers: fc.uniqueArray(name) },
      { requiredKeys: [] },
    ),
    spec: fc.record(
      {
        containers: fc.uniqueArray(fc.oneof(container, removal), { selector: (item) => item.name }),
        hostname: fc.constantFrom('z', null),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
)

describe('any document', () => {
  test('applying a strategic merge twice equals applying it once', () => {
    fc.assert(
      fc.property(document, patches, (before, patch) => {
        const once = strategic(before, patch)
        expect(strategic(once, patch)).toEqual(once)
      }),
      { numRuns: 500 },
    )
  })

  test('a document as a strategic merge patch of itself changes nothing', () => {
    fc.assert(
      fc.property(document, (before) => {
        expect(strategic(before, before)).toEqual(before)
      }),
    )
  })

  test('applying a merge patch twice equals applying it once', () => {
    const json = fc.object({ maxDepth: 3, withNullPrototype: false })
    fc.assert(
      fc.property(json, json, (before, patch) => {
        const once = applyMergePatch(before as JsonObject, patch as JsonObject)
        expect(applyMergePatch(once, patch as JsonObject)).toEqual(once)
      }),
    )
  })
})
