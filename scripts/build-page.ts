// Builds the web page of the dashboard: its scripts, its styles, and the document that loads them.
import { copyFile, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Metafile } from 'esbuild'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const web = 'packages/dashboard/src/web'
const asTheyAre = ['index.html', 'icon.svg']

/** Writes the page into a folder. Only chunks have a hash in their names: a browser may keep them, and must ask again for the other files. */
export async function buildPage(folder: string): Promise<Metafile> {
  await mkdir(folder, { recursive: true })
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [
      { in: `${web}/main.tsx`, out: 'app' },
      { in: `${web}/app.css`, out: 'app' },
    ],
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome117', 'firefox119', 'safari17.4'],
    chunkNames: 'chunk-[hash]',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
  })
  for (const file of asTheyAre) await copyFile(path.join(root, web, file), path.join(folder, file))
  return metafile
}
