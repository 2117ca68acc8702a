// The bundled programs of the benchmark against a real API server, and the folder in which they and a kubeconfig lie.
import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { build } from 'esbuild'

const bench = path.join(import.meta.dirname, '..')

/** Runs the work with a folder in node_modules, so that Node finds the packages that are not bundled. Removes it afterwards. */
export async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(bench, '../node_modules/.dayfly-bench-'))
  try {
    await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The path of the built product. */
export const dayflyProgram = path.join(bench, '../packages/dayfly/dist/dayfly.js')

/** Bundles a program of the benchmark, as the product is bundled. Returns its path. */
export async function bundle(folder: string, name: string): Promise<string> {
  const outfile = path.join(folder, `${name}.mjs`)
  await build({
    entryPoints: [path.join(bench, `${name}.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'warning',
  })
  return outfile
}
