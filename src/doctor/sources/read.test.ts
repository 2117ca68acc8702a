import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readSources } from './read.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'doctor-'))
  for (const name of [
    'a.yaml',
    'b.txt',
    'sub/c.yml',
    'sub/d.json',
    'node_modules/e.yaml',
    '.git/f.yaml',
    'sub/x y.tf',
  ]) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
    await writeFile(path.join(folder, name), `kind: ${name}\n`)
  }
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const read = (...paths: string[]) => {
  const { files, skipped, missing } = readSources(paths, folder)
  return { files: files.map((file) => file.path), skipped, missing }
}

describe('paths', () => {
  it('reads folders in order, without what is not ours', async () => {
    const expected = ['a.yaml', 'sub/c.yml', 'sub/d.json', 'sub/x y.tf']
    expect(await read('.')).toEqual({ files: expected, skipped: [], missing: [] })
  })

  it('reads a file named outright, each once, and says what is missing', async () => {
    expect(await read('b.txt', 'b.txt', 'nope')).toEqual({ files: ['b.txt'], skipped: [], missing: ['nope'] })
  })

  it('shows names as the person would write them', async () => {
    await mkdir(path.join(folder, 'empty'))
    const below = (...paths: string[]) => readSources(paths, path.join(folder, 'sub')).files.map((file) => file.path)
    expect(below('../a.yaml')).toEqual(['../a.yaml'])
    expect(below('..', 'c.yml')).toEqual(['../a.yaml', 'c.yml', 'd.json', 'x y.tf'])
    expect(below(path.join(folder, 'a.yaml'))).toEqual([path.join(folder, 'a.yaml')])
    expect(below(path.join(folder, 'sub', 'c.yml'))).toEqual(['c.yml'])
    expect(read('empty')).toEqual({ files: [], skipped: [], missing: [] })
  })

  it('expands globs', async () => {
    expect((await read('**/*.{yml,yaml}')).files).toEqual(['a.yaml', 'sub/c.yml'])
    expect((await read('sub/?.yml')).files).toEqual(['sub/c.yml'])
    expect((await read('*.[a-z]*')).files).toEqual(['a.yaml', 'b.txt'])
  })

  it('leaves out what a killed repair has left behind', async () => {
    for (const name of ['.dayfly-x.tmp', 'sub/.dayfly-y.tmp']) await writeFile(path.join(folder, name), 'kind: Job\n')
    expect((await read('.')).files).toEqual(['a.yaml', 'sub/c.yml', 'sub/d.json', 'sub/x y.tf'])
    expect((await read('**/*')).files.filter((name) => name.includes('.dayfly-'))).toEqual([])
  })

  it('skips what is not UTF-8 or too large, and does not follow links in circles', async () => {
    await writeFile(path.join(folder, 'bad.yaml'), Buffer.from([0x6b, 0xff, 0xfe]))
    await writeFile(path.join(folder, 'big.yaml'), Buffer.alloc(5 * 1024 * 1024, 0x61))
    await symlink(folder, path.join(folder, 'sub', 'loop'))
    const { files, skipped } = await read('.')
    expect(files).toHaveLength(4)
    expect(skipped.map(({ file, reason }) => [file, reason])).toEqual([
      ['bad.yaml', 'not UTF-8'],
      ['big.yaml', 'larger than 4 MiB'],
    ])
  })
})
