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
  it('reads folders in order, without folders of other tools', async () => {
    const expected = ['a.yaml', 'sub/c.yml', 'sub/d.json', 'sub/x y.tf']
    const left = { file: 'node_modules/', line: undefined, reason: 'a folder named node_modules', intended: true }
    expect(await read('.')).toEqual({ files: expected, skipped: [left], missing: [] })
    expect((await read('node_modules')).files).toEqual(['node_modules/e.yaml'])
  })

  it('reads a named file, each once, and names missing paths', async () => {
    expect(await read('b.txt', 'b.txt', 'nope')).toEqual({ files: ['b.txt'], skipped: [], missing: ['nope'] })
  })

  it('shows names as a person would write them', async () => {
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
    expect((await read('*.[z-a]', '[')).missing).toEqual(['*.[z-a]', '['])
  })

  it('looks for the charts around a path, from the outermost', async () => {
    for (const name of ['x/Chart.yaml', 'x/charts/y/Chart.yaml', 'x/charts/y/templates/z/job.yaml', 'x/docs/a.yaml']) {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
      await writeFile(path.join(folder, name), 'kubeVersion: ">=1.30"\n')
    }
    const chartsOf = (given: string, from = '.') =>
      readSources([given], path.join(folder, from)).charts.map((chart) => chart.path)
    const both = ['x/Chart.yaml', 'x/charts/y/Chart.yaml']
    expect(chartsOf('x/charts/y/templates/z/job.yaml')).toEqual(both)
    expect(chartsOf('x/charts/y/templates/*/*.yaml')).toEqual(both)
    expect(chartsOf('x/charts/y')).toEqual(['x/Chart.yaml'])
    expect(chartsOf('charts/y', 'x')).toEqual(['Chart.yaml'])
    expect(chartsOf('templates', 'x/charts/y')).toEqual(['Chart.yaml'])
    expect(chartsOf(path.join(folder, 'x/charts/y/templates'), 'sub')).toHaveLength(2)
    expect(['x/docs/a.yaml', 'x/docs', 'x', '.'].flatMap((given) => chartsOf(given))).toEqual([])
  })

  it('leaves out text for people, unless it is named', async () => {
    const templates = ['chart/templates/pod.tftpl', 'chart/templates/values.tpl']
    for (const name of ['README.md', 'chart/templates/NOTES.txt', 'chart/templates/_help.tpl', ...templates]) {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
      await writeFile(path.join(folder, name), 'kind: Pod\n')
    }
    const left = (file: string) => ({ file, line: undefined, intended: true, reason: expect.stringMatching(/people/) })
    const inFolder = await read('chart')
    expect(inFolder.files).toEqual(templates)
    expect(inFolder.skipped).toEqual([left('chart/templates/NOTES.txt')])
    expect(await read('chart/**')).toEqual({ ...inFolder, files: ['chart/templates/_help.tpl', ...templates] })
    expect(await read('*.md')).toEqual({ files: [], skipped: [left('README.md')], missing: [] })
    expect((await read('README.md', 'chart/templates/NOTES.txt')).files).toHaveLength(2)
  })

  it('leaves out the temporary files of a killed fix', async () => {
    for (const name of ['.dayfly-x.tmp', 'sub/.dayfly-y.tmp']) await writeFile(path.join(folder, name), 'kind: Job\n')
    expect((await read('.')).files).toEqual(['a.yaml', 'sub/c.yml', 'sub/d.json', 'sub/x y.tf'])
    expect((await read('**/*')).files.filter((name) => name.includes('.dayfly-'))).toEqual([])
  })

  it('skips manifests that are not UTF-8 or too large', async () => {
    const write = (name: string, bytes: Uint8Array) => writeFile(path.join(folder, name), bytes)
    const large = Buffer.alloc(9 * 1024 * 1024, 0x61)
    await write('no-text.yaml', Buffer.from([0x6b, 0xff, 0xfe]))
    await write('bad.yaml', Buffer.concat([Buffer.from('apiVersion: v1\nkind: Pod #'), Buffer.from([0xff])]))
    await write('wide.yaml', Buffer.from('\ufeffapiVersion: v1', 'utf16le'))
    await write('package-lock.json', large)
    // A manifest across the border of two pieces.
    large.write('apiVersion', 4 * 1024 * 1024 - 5)
    await write('big.yaml', large)
    const { files, skipped } = await read('.')
    expect(files).toHaveLength(4)
    expect(skipped.filter(({ file }) => !file.endsWith('/'))).toEqual([
      { file: 'bad.yaml', reason: 'not UTF-8' },
      { file: 'big.yaml', reason: 'larger than 4 MiB (--max-file-size)' },
      { file: 'no-text.yaml', reason: 'not text', intended: true },
      {
        file: 'package-lock.json',
        reason: 'larger than 4 MiB (--max-file-size), and no manifest in it',
        intended: true,
      },
      { file: 'wide.yaml', reason: 'not UTF-8' },
    ])
    const ofSize = (mebibytes: number) => readSources(['big.yaml'], folder, mebibytes * 1024 * 1024)
    expect(ofSize(9).files.map((file) => file.text.length)).toEqual([9 * 1024 * 1024])
    expect(ofSize(8).skipped).toMatchObject([{ reason: 'larger than 8 MiB (--max-file-size)' }])
  })

  it('follows only named links, and reports links out of the folder', async () => {
    const link = (target: string, name: string) => symlink(path.join(folder, target), path.join(folder, name))
    await link('.', 'sub/loop')
    await link('sub/nowhere.yaml', 'sub/dangling.yaml')
    await link('sub/c.yml', 'sub/inside.yaml')
    await link('a.yaml', 'sub/outside.yaml')
    await link('b.txt', 'sub/no-manifest.txt')
    const { files, skipped } = await read('sub')
    expect(files).toEqual(['sub/c.yml', 'sub/d.json', 'sub/x y.tf'])
    expect(skipped).toMatchObject([
      { file: 'sub/loop/', intended: true },
      { file: 'sub/outside.yaml', intended: true },
    ])
    expect((await read('sub/*side.yaml')).files).toEqual(['sub/inside.yaml', 'sub/outside.yaml'])
    expect((await read('sub/loop/a.yaml', 'sub/outside.yaml')).files).toEqual(['sub/loop/a.yaml', 'sub/outside.yaml'])
  })
})
