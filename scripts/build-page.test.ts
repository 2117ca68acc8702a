import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Metafile } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPage } from './build-page.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'dayfly-page-'))
let outputs: Metafile['outputs'] = {}
beforeAll(async () => {
  outputs = (await buildPage(folder)).outputs
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Returns the scripts that a browser loads before anyone opens a chart. */
function firstLoad(): readonly string[] {
  const byName = new Map(Object.entries(outputs).map(([file, output]) => [path.basename(file), output]))
  const found = new Set(['app.js'])
  for (const name of found) {
    const imports = byName.get(name)?.imports.filter(({ kind }) => kind === 'import-statement') ?? []
    for (const { path: file } of imports) found.add(path.basename(file))
  }
  return [...found]
}

function read(name: string): string {
  return readFileSync(path.join(folder, name), 'utf8')
}

describe('the built page', () => {
  it('loads at most 60 KB of compressed scripts first, without the chart', () => {
    const sizes = firstLoad().map((name) => gzipSync(read(name), { level: 9 }).length)
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(60 * 1024)
    expect(firstLoad().some((name) => read(name).includes('u-legend'))).toBe(false)
  })

  it('has hashes in the names of chunks only', () => {
    const names = Object.keys(outputs).map((file) => path.basename(file))
    const plain = names.filter((name) => !/^chunk-[A-Z0-9]{8}\.js$/.test(name))
    expect(plain.sort()).toEqual(['app.css', 'app.js'])
  })

  it('needs no inline script or style, and names only its own files', () => {
    const document = read('index.html')
    expect(document).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*src=)/)
    const files = [...document.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, file]) => file)
    expect(files).toEqual(['icon.svg', 'app.css', 'app.js'])
    expect(read('app.css')).not.toMatch(/url\(|https?:/)
  })

  it('never turns a text into markup', () => {
    const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs))
    const ours = inputs.filter((file) => file.startsWith('packages/dashboard/'))
    const bad = ours.filter((file) => /innerHTML|InnerHTML|\beval\(|new Function/.test(readFileSync(file, 'utf8')))
    expect(ours.length).toBeGreaterThan(30)
    expect(bad).toEqual([])
  })
})
