// Bundles one file of the simulation. A process that runs many seeds starts faster with it, and a test can plant a bug in it.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'

/** One place in the sources, and what the bundle has there instead. */
export type Edit = { readonly file: string; readonly before: string; readonly after: string }

const root = fileURLToPath(new URL('..', import.meta.url))
const banner = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

/** A bundle in a temporary folder. */
export type Bundle = { readonly url: string; readonly remove: () => Promise<void> }

/** Throws if a text to replace is not found exactly once. */
export async function bundleOf(
  entry: 'worker' | 'long-run/process' | 'lives/process' | keyof Modules,
  edits: readonly Edit[] = [],
): Promise<Bundle> {
  // By this name, vitest leaves the bundle to Node (vitest.config.ts).
  const folder = await mkdtemp(join(tmpdir(), 'dayfly-sim-'))
  const outfile = join(folder, `${entry}.mjs`)
  await build({
    entryPoints: [join(root, 'sim', `${entry}.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    banner: { js: banner },
    logLevel: 'silent',
    plugins: edits.length > 0 ? [edited(edits)] : [],
  })
  return { url: pathToFileURL(outfile).href, remove: () => rm(folder, { recursive: true }) }
}

/** The modules that a test or a command runs in its own process. */
type Modules = {
  readonly 'run-seed': typeof import('./run-seed.ts')
  readonly 'long-run/run-jobs': typeof import('./long-run/run-jobs.ts')
  readonly 'lives/run-lives': typeof import('./lives/run-lives.ts')
}

/** Loads a bundle into this process. It takes two thirds of the processor time of modules that vitest loads. */
export async function importBundle<Entry extends keyof Modules>(
  entry: Entry,
  edits: readonly Edit[] = [],
): Promise<Modules[Entry]> {
  const bundle = await bundleOf(entry, edits)
  const module: Promise<Modules[Entry]> = import(/* @vite-ignore */ bundle.url)
  return module.finally(bundle.remove)
}

function edited(edits: readonly Edit[]): Plugin {
  return {
    name: 'edited',
    setup: ({ onLoad, onEnd }) => {
      const files = new Set(edits.map(({ file }) => file))
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const file = relative(root, path)
        if (!files.delete(file)) return undefined
        let contents = await readFile(path, 'utf8')
        for (const edit of edits) if (edit.file === file) contents = replaced(contents, edit)
        return { contents, loader: 'ts' }
      })
      onEnd(() => {
        if (files.size > 0) throw new Error(`the bundle has no file ${[...files].join(', ')}`)
      })
    },
  }
}

/** Throws if the text is not in the contents exactly once. */
export function replaced(contents: string, { file, before, after }: Edit): string {
  const parts = contents.split(before)
  if (parts.length !== 2) throw new Error(`${file} has this text ${parts.length - 1} times, and not once: ${before}`)
  return parts.join(after)
}
