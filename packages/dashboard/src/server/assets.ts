// The files of the built page, read once into memory.
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Asset } from './source.ts'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
}

const zip = promisify(gzip)

/** Reads every file of the folder. Returns undefined if the page is not built there. */
export async function readAssets(folder: string): Promise<((name: string) => Asset | undefined) | undefined> {
  const names = await readdir(folder).catch((): string[] => [])
  if (!names.includes('index.html')) return undefined
  const read = names.flatMap((name) => {
    const type = types[path.extname(name)]
    return type === undefined ? [] : [readAsset(folder, name, type)]
  })
  const assets = new Map(await Promise.all(read))
  return (name) => assets.get(name)
}

async function readAsset(folder: string, name: string, type: string): Promise<readonly [string, Asset]> {
  const bytes = await readFile(path.join(folder, name))
  const small = await zip(bytes, { level: 9 })
  const isHashed = /-[0-9A-Za-z]{6,}\.(js|css)$/.test(name)
  return [name, { bytes, gzip: small.length < bytes.length ? small : undefined, type, isHashed }]
}
