import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Component, writeBill } from './bill.ts'
import { baseHere } from './image/base.ts'
import { controllerBill } from './image/bill.ts'
import { librariesOf } from './image/programs.ts'
import { bundledPackages } from './licences.ts'

type Bill = { readonly components: readonly (Component & { readonly licenses?: unknown })[] }

describe('a bill of materials', () => {
  const product = { type: 'application', name: 'a', version: '1' } as const
  const one = { type: 'library', name: 'b', version: '2', purl: 'pkg:npm/b@2', license: 'MIT OR Apache-2.0' } as const
  const other = { type: 'file', name: '/a', sha256: '00' } as const

  it('is the same text for the same components in any order, and has no empty field', () => {
    expect(writeBill(product, [other, one])).toBe(writeBill(product, [one, other]))
    expect((JSON.parse(writeBill(product, [one, other])) as Bill).components).toEqual([
      { type: 'file', name: '/a', hashes: [{ alg: 'SHA-256', content: '00' }] },
      {
        type: 'library',
        'bom-ref': 'pkg:npm/b@2',
        name: 'b',
        version: '2',
        licenses: [{ expression: 'MIT OR Apache-2.0' }],
        purl: 'pkg:npm/b@2',
      },
    ])
  })
})

it('reads version and licence of each bundled package once, and leaves out own files', async () => {
  const inputs = [
    'node_modules/zod/a.js',
    'node_modules/zod/b.js',
    'node_modules/@types/node/c.d.ts',
    'packages/kit/d.ts',
  ]
  const found = await bundledPackages(path.resolve('.'), inputs)
  expect(found.map(({ name, license }) => [name, license])).toEqual([
    ['@types/node', 'MIT'],
    ['zod', 'MIT'],
  ])
})

it.skipIf(process.platform !== 'linux')('names Node, its libraries and each bundled package of the image', async () => {
  const text = await controllerBill(path.resolve('packages/controller/dist'), '1.0.0', await baseHere())
  const { components } = JSON.parse(text) as Bill
  const node = components.find(({ name }) => name === 'node')
  expect(node).toMatchObject({ version: process.versions.node })
  expect(node?.components?.map(({ purl }) => purl)).toContain(`pkg:generic/openssl@${process.versions.openssl}`)
  expect(components.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['commander', 'prom-client', 'yaml', 'zod']),
  )
  // A package may own several libraries, and a library without an owner is a file.
  const loader = (await librariesOf([process.execPath])).find((entry) => entry.path.includes('/ld-'))
  expect(components.some(({ name }) => name === 'libc6' || name === `/${loader?.path}`)).toBe(true)
})
