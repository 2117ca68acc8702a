import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { controllerFlags } from './image/contents.ts'
import { createLayer, writeLayout } from './image/layout.ts'
import { librariesOf } from './image/programs.ts'
import { type TarEntry, withFolders, writeTar } from './image/tar.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'dayfly-image-'))
afterAll(() => rmSync(folder, { recursive: true }))

const file = (name: string, text: string, more: Partial<TarEntry> = {}): TarEntry =>
  ({ kind: 'file', path: name, mode: 0o644, content: Buffer.from(text), ...more }) as TarEntry

const long = `${'a-long-folder/'.repeat(10)}with-a-file.txt`
const entries: readonly TarEntry[] = [
  file('etc/passwd', 'root:x:0:0\n'),
  file('home/runner/run.sh', '#!/bin/sh\n', { mode: 0o755, owner: 1001 }),
  { kind: 'link', path: 'bin/sh', mode: 0o777, target: 'busybox' },
  { kind: 'folder', path: 'tmp', mode: 0o1777 },
  file(long, 'deep'),
]

function extracted(archive: Buffer): string {
  const name = path.join(folder, `${createHash('sha256').update(archive).digest('hex')}.tar`)
  writeFileSync(name, archive)
  return name
}

describe('the writer of tar archives', () => {
  it('writes what tar reads: modes, owners, links, long paths', () => {
    const listing = execFileSync('tar', ['--numeric-owner', '-tvf', extracted(writeTar(withFolders(entries)))], {
      encoding: 'utf8',
      env: { ...process.env, TZ: 'UTC' },
    })
    const lines = listing
      .trim()
      .split('\n')
      .map((line) => line.replace(/ +/g, ' '))
    expect(lines).toEqual(
      expect.arrayContaining([
        '-rw-r--r-- 0/0 11 1970-01-01 00:00 etc/passwd',
        '-rwxr-xr-x 1001/1001 10 1970-01-01 00:00 home/runner/run.sh',
        'lrwxrwxrwx 0/0 0 1970-01-01 00:00 bin/sh -> busybox',
        'drwxrwxrwt 0/0 0 1970-01-01 00:00 tmp/',
        'drwxr-xr-x 0/0 0 1970-01-01 00:00 home/runner/',
        `-rw-r--r-- 0/0 4 1970-01-01 00:00 ${long}`,
      ]),
    )
  })

  it('writes the contents unchanged', () => {
    const archive = extracted(writeTar([file('a', 'x'.repeat(512)), file('b', 'y'.repeat(513)), file('c', '')]))
    const read = (name: string) => execFileSync('tar', ['-xOf', archive, name], { encoding: 'utf8' })
    expect([read('a'), read('b'), read('c')]).toEqual(['x'.repeat(512), 'y'.repeat(513), ''])
  })

  it('writes the same bytes for the same entries in any order', () => {
    expect(writeTar([...entries].reverse()).equals(writeTar(entries))).toBe(true)
  })

  it('refuses two entries with one path, and names that do not fit', () => {
    expect(() => writeTar([file('a', '1'), file('a', '2')])).toThrow('two entries a')
    expect(() => writeTar([file('x'.repeat(101), '')])).toThrow('too long')
    expect(() => writeTar([{ kind: 'link', path: 'a', mode: 0o777, target: 'y'.repeat(101) }])).toThrow('longer')
  })
})

describe('the writer of images', () => {
  type Descriptor = {
    readonly digest: string
    readonly size: number
    readonly annotations?: Readonly<Record<string, string>>
  }
  const layer = createLayer(entries)
  const images = [
    { names: ['localhost/a:1', 'localhost/a:2'], layers: [layer], configuration: { User: '65532' } },
    { names: ['registry.example:5000/b:1'], layers: [layer, createLayer([file('x', 'y')])], configuration: {} },
  ]
  const archive = extracted(writeLayout(images, 'amd64'))
  const read = (name: string) => execFileSync('tar', ['-xOf', archive, name], { maxBuffer: 1e8 })
  const readJson = (name: string) => JSON.parse(read(name).toString())
  const blob = ({ digest }: Descriptor) => `blobs/${digest.replace(':', '/')}`

  it('stores each blob once, under the digest and size of its content', () => {
    const names = execFileSync('tar', ['-tf', archive], { encoding: 'utf8' }).match(/blobs\/sha256\/\w+/g) ?? []
    // Two layers, two configurations and two manifests.
    expect(names).toHaveLength(6)
    for (const name of names) expect(createHash('sha256').update(read(name)).digest('hex')).toBe(path.basename(name))
    for (const manifest of readJson('index.json').manifests as Descriptor[])
      expect(read(blob(manifest))).toHaveLength(manifest.size)
  })

  it('names each image for containerd and for other tools', () => {
    const manifests = readJson('index.json').manifests as Descriptor[]
    expect(manifests.map(({ annotations }) => Object.values(annotations ?? {}))).toEqual([
      ['localhost/a:1', '1'],
      ['localhost/a:2', '2'],
      ['registry.example:5000/b:1', '1'],
    ])
  })

  it('lists the digests of the uncompressed layers in the configuration', () => {
    const [, , last] = readJson('index.json').manifests as Descriptor[]
    const { config, layers } = readJson(blob(last as Descriptor)) as { config: Descriptor; layers: Descriptor[] }
    const digests = layers.map((each) =>
      createHash('sha256')
        .update(gunzipSync(read(blob(each))))
        .digest('hex'),
    )
    expect(readJson(blob(config))).toMatchObject({
      architecture: 'amd64',
      os: 'linux',
      rootfs: { type: 'layers', diff_ids: digests.map((digest) => `sha256:${digest}`) },
    })
  })
})

it.skipIf(process.platform !== 'linux')('finds the libraries of a program, and its loader', async () => {
  const libraries = await librariesOf([process.execPath, '/bin/sh'])
  const names = libraries.map(({ path }) => path.slice(path.lastIndexOf('/') + 1))
  expect(names).toEqual(expect.arrayContaining([expect.stringMatching(/^libc\./), expect.stringMatching(/^ld-/)]))
  expect(new Set(names).size).toBe(names.length)
})

it('builds the images of deploy/Containerfile for the same users and entry points', () => {
  const text = readFileSync(path.resolve(import.meta.dirname, '../deploy/Containerfile'), 'utf8')
  const contents = readFileSync(path.resolve(import.meta.dirname, 'image/contents.ts'), 'utf8')
  const [, controller = '', runner = ''] = /controllerUser = (\d+).*runnerUser = (\d+)/s.exec(contents) ?? []
  const stage = (name: string) => text.split(/^(?=FROM )/m).find((part) => part.includes(` AS ${name}\n`)) ?? ''
  expect(stage('controller')).toContain(`USER ${controller}:${controller}\n`)
  expect(stage('controller')).toContain(
    `ENTRYPOINT ["/usr/local/bin/node", "${controllerFlags.join('", "')}", "/app/dayfly.js"]`,
  )
  expect(stage('runner')).toContain(`USER ${runner}:${runner}\n`)
  expect(stage('runner')).toContain('ENTRYPOINT ["/home/runner/run.sh"]')
})
