import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { publish } from './publish.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'dayfly-publish-'))
})
afterEach(() => rm(folder, { recursive: true }))

function write(at: string, files: Readonly<Record<string, string>>): string {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, at, name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return path.join(folder, at)
}

test('a build takes the place of the one before, and leaves a file alone that is the same', async () => {
  const dist = path.join(folder, 'dist')
  await publish(write('one', { 'a.js': 'one', 'page/index.html': 'same', 'chunk-AAAAAAAA.js': 'one' }), dist)
  const before = statSync(path.join(dist, 'page/index.html'))
  await publish(write('two', { 'a.js': 'two', 'page/index.html': 'same', 'chunk-BBBBBBBB.js': 'two' }), dist)
  expect(readdirSync(dist).sort()).toEqual(['a.js', 'chunk-BBBBBBBB.js', 'page'])
  expect(readFileSync(path.join(dist, 'a.js'), 'utf8')).toBe('two')
  expect(statSync(path.join(dist, 'page/index.html'))).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs })
})
