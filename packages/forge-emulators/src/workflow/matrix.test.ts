// Expands matrices: the examples of GitHub's documentation and of its own builder, and two properties.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cellsMax, expandMatrix } from './matrix.ts'

const cases: readonly (readonly [name: string, matrix: object, cells: readonly object[]])[] = [
  [
    'a product, the first vector slowest',
    { a: [1, 2], b: ['x', 'y'] },
    [
      { a: 1, b: 'x' },
      { a: 1, b: 'y' },
      { a: 2, b: 'x' },
      { a: 2, b: 'y' },
    ],
  ],
  [
    'exclude takes what matches all its keys',
    {
      a: [1, 2],
      b: ['x', 'y'],
      exclude: [
        { a: 1, b: 'y' },
        { b: 'x', a: 2 },
      ],
    },
    [
      { a: 1, b: 'x' },
      { a: 2, b: 'y' },
    ],
  ],
  [
    'exclude with some of the keys',
    { a: [1, 2], b: [1, 2], exclude: [{ a: 1 }] },
    [
      { a: 2, b: 1 },
      { a: 2, b: 2 },
    ],
  ],
  [
    "exclude compares as GitHub's == does",
    { a: ['X', 'y'], b: [1], exclude: [{ a: 'x', b: '1' }] },
    [{ a: 'y', b: 1 }],
  ],
  [
    'exclude of nested values',
    {
      v: [
        { node: 12, npm: 6 },
        { node: 14, npm: 6 },
      ],
      exclude: [{ v: { node: 12 } }],
    },
    [{ v: { node: 14, npm: 6 } }],
  ],
  ['include only', { include: [{ a: 1 }, { b: 2 }] }, [{ a: 1 }, { b: 2 }]],
  [
    'include without a vector key goes to every cell',
    { a: [1, 2], include: [{ c: 'z' }] },
    [
      { a: 1, c: 'z' },
      { a: 2, c: 'z' },
    ],
  ],
  [
    'a later include overwrites what an earlier one added, never the vectors',
    { a: [1, 2], include: [{ c: 'z' }, { c: 'w', a: 2 }] },
    [
      { a: 1, c: 'z' },
      { a: 2, c: 'w' },
    ],
  ],
  [
    "GitHub's example",
    {
      fruit: ['apple', 'pear'],
      animal: ['cat', 'dog'],
      include: [
        { color: 'green' },
        { color: 'pink', animal: 'cat' },
        { fruit: 'apple', shape: 'circle' },
        { fruit: 'banana' },
        { fruit: 'banana', animal: 'cat' },
      ],
    },
    [
      { fruit: 'apple', animal: 'cat', color: 'pink', shape: 'circle' },
      { fruit: 'apple', animal: 'dog', color: 'green', shape: 'circle' },
      { fruit: 'pear', animal: 'cat', color: 'pink' },
      { fruit: 'pear', animal: 'dog', color: 'green' },
      { fruit: 'banana' },
      { fruit: 'banana', animal: 'cat' },
    ],
  ],
  [
    'exclude comes before include',
    { a: [1, 2], exclude: [{ a: 2 }], include: [{ a: 2, b: 1 }] },
    [{ a: 1 }, { a: 2, b: 1 }],
  ],
]

describe('matrix', () => {
  for (const [name, matrix, cells] of cases) {
    test(name, () => expect(expandMatrix(matrix).map((cell) => cell.matrix)).toEqual(cells))
  }

  test('puts the vectors into names, and all values of a cell that include created', () => {
    const cells = expandMatrix({
      a: [1, { x: 'deep', y: [true, null] }],
      include: [
        { a: 1, extra: 'no' },
        { b: 'own', c: 3 },
      ],
    })
    expect(cells.map((cell) => cell.segments)).toEqual([['1'], ['deep', 'true']])
    const own = expandMatrix({ a: [1], include: [{ a: 9, b: 'own' }] })
    expect(own.map((cell) => cell.segments)).toEqual([['1'], ['9', 'own']])
  })

  test.each([
    [{ a: 1 }, /'a' is not a list/],
    [{ a: [] }, /'a' does not contain any values/],
    [{}, /^Matrix must define at least one vector\.$/],
    [{ a: [1], exclude: [{ a: 1 }] }, /every combination is excluded/],
    [{ a: [1], exclude: [{ z: 1 }] }, /exclude key 'z'/],
    [{ a: [1], exclude: 5 }, /exclude is not a list/],
    [{ a: [1], include: [{}] }, /include is empty/],
    [[1], /not a mapping/],
    ['x', /not a mapping/],
    [{ a: Array.from({ length: 16 }, (_, n) => n), b: Array.from({ length: 17 }, (_, n) => n) }, /more than 256/],
    [Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`v${n}`, [1, 2, 3]])), /more than 256/],
  ])('refuses %j', (matrix, message) => {
    expect(() => expandMatrix(matrix)).toThrow(message)
  })

  test('without filters it is the whole product, with each cell once', () => {
    const vectors = fc.dictionary(
      fc.constantFrom('a', 'b', 'c'),
      fc.uniqueArray(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 5 }),
      { minKeys: 1 },
    )
    fc.assert(
      fc.property(vectors, (vectors) => {
        const cells = expandMatrix(vectors).map((cell) => JSON.stringify(cell.matrix))
        const size = Object.values(vectors).reduce((product, vector) => product * vector.length, 1)
        expect(new Set(cells).size).toBe(size)
        expect(cells.length).toBeLessThanOrEqual(cellsMax)
      }),
    )
  })

  test('included values never change a vector of a product cell', () => {
    const item = fc.dictionary(fc.constantFrom('a', 'b', 'x'), fc.integer({ min: 0, max: 3 }), { minKeys: 1 })
    fc.assert(
      fc.property(fc.array(item, { maxLength: 4 }), (include) => {
        const plain = expandMatrix({ a: [0, 1], b: [0, 1, 2] }).map((cell) => cell.matrix)
        const filled = expandMatrix({ a: [0, 1], b: [0, 1, 2], include }).map((cell) => cell.matrix)
        for (const [index, cell] of plain.entries()) expect(filled[index]).toMatchObject(cell)
      }),
    )
  })
})
