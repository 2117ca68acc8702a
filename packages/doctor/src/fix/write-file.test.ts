import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { replaceFile } from './write-file.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'write-'))
  file = path.join(folder, 'a.yaml')
  writeFileSync(file, 'old')
})
afterEach(() => rmSync(folder, { recursive: true }))

const texts = { before: 'old', after: 'new' }

test('keeps the mode, and leaves no other file behind', async () => {
  chmodSync(file, 0o640)
  expect(await replaceFile(file, texts, 't')).toBeUndefined()
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['new', 0o640])
  expect(readdirSync(folder)).toEqual(['a.yaml'])
})

test('follows a link, which stays one, and finds the file already changed by its other name', async () => {
  const link = path.join(folder, 'link.yaml')
  symlinkSync('a.yaml', link)
  expect(await replaceFile(link, texts, 't')).toBeUndefined()
  expect(await replaceFile(file, texts, 't')).toBeUndefined()
  expect(readFileSync(file, 'utf8')).toBe('new')
  expect(readdirSync(folder, { withFileTypes: true }).map((entry) => entry.isSymbolicLink())).toEqual([false, true])
})

test('refuses a file that another program changed or removed since', async () => {
  writeFileSync(file, 'theirs')
  expect(await replaceFile(file, texts, 't')).toMatchObject({ code: 'file-changed', next: 'Run it again.' })
  expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual(['theirs', ['a.yaml']])
  rmSync(file)
  expect(await replaceFile(file, texts, 't')).toMatchObject({ code: 'file-changed', why: 'it is gone' })
  expect(readdirSync(folder)).toEqual([])
})

test('refuses a read-only file, also as root', async () => {
  chmodSync(file, 0o444)
  expect(await replaceFile(file, texts, 't')).toMatchObject({ code: 'file-readonly' })
  expect(readFileSync(file, 'utf8')).toBe('old')
})

test("never writes into another writer's temporary file", async () => {
  writeFileSync(path.join(folder, '.dayfly-t.tmp'), 'theirs')
  expect(await replaceFile(file, texts, 't')).toMatchObject({ code: 'file-unwritable' })
  expect(readFileSync(file, 'utf8')).toBe('old')
  expect(readFileSync(path.join(folder, '.dayfly-t.tmp'), 'utf8')).toBe('theirs')
})

test('refuses everything but a regular file', async () => {
  expect(await replaceFile(folder, texts, 't')).toMatchObject({
    code: 'file-unwritable',
    why: 'it is not a regular file',
  })
})
