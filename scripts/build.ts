// Bundles the CLI and the small runner into dist/.
import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type Metafile } from 'esbuild'
import { bundledLicences } from './licences.ts'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const dist = path.join(root, 'dist')

/** Bundled CommonJS packages load Node's own modules with `require`, which does not exist in an ES module. */
const requireShim =
  "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);"
const licencesFile = 'LICENCES.txt'
/** The pages of the doctor's rules by slug. Only the commands that show them read this file. */
const pagesFile = 'doctor-rules.json'

const started = performance.now()
const common = await commonOptions()
const bundles = [await buildCli(common), await buildRunner(common)]
await chmod(path.join(dist, 'dayfly.js'), 0o755)
const inputs = bundles.flatMap((bundle) => Object.keys(bundle.inputs))
await writeFile(path.join(dist, licencesFile), await bundledLicences(root, inputs))
await writeFile(path.join(dist, pagesFile), JSON.stringify(await rulePages()))
await removeOthers([licencesFile, pagesFile, ...bundles.flatMap((bundle) => Object.keys(bundle.outputs))])
process.stderr.write(`built dist/ in ${Math.round(performance.now() - started)} ms\n`)

async function commonOptions() {
  const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as { version: string }
  return {
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    banner: { js: requireShim },
    define: { DAYFLY_VERSION: JSON.stringify(version) },
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
  } as const satisfies BuildOptions
}

type Common = Awaited<ReturnType<typeof commonOptions>>

/** Builds one entry and a chunk for each command, so that a command loads only the code that it needs. */
async function buildCli(common: Common): Promise<Metafile> {
  const { metafile } = await build({
    ...common,
    entryPoints: [{ in: 'src/cli/main.ts', out: 'dayfly' }],
    outdir: dist,
    splitting: true,
    chunkNames: 'chunk-[hash]',
    minifySyntax: true,
    minifyWhitespace: true,
  })
  return metafile
}

/** Builds the runner, which starts once for each job, as one minified file, because that loads fastest. */
async function buildRunner(common: Common): Promise<Metafile> {
  const { metafile } = await build({
    ...common,
    entryPoints: ['src/emulator/runner/main.ts'],
    outfile: path.join(dist, 'runner.js'),
    minify: true,
  })
  return metafile
}

async function rulePages(): Promise<Readonly<Record<string, string>>> {
  const folder = path.join(root, 'src/doctor/rules')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.md')).sort()
  const pages = names.map(async (name) => [name.slice(0, -3), await readFile(path.join(folder, name), 'utf8')] as const)
  return Object.fromEntries(await Promise.all(pages))
}

/** Removes the files of earlier builds, but not the images of `npm run image`. It runs last, so that dist/ is complete at every moment. */
async function removeOthers(kept: readonly string[]): Promise<void> {
  const names = new Set(['image', ...kept.map((file) => path.basename(file))])
  const others = (await readdir(dist)).filter((name) => !names.has(name))
  await Promise.all(others.map((name) => rm(path.join(dist, name), { recursive: true, force: true })))
}
