// Bundles the programs: each package with a program gets its own dist/.
import { chmod, copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type Metafile } from 'esbuild'
import { buildPage } from './build-page.ts'
import { schemaFiles } from './generated.ts'
import { bundleBill, bundledPackages, licencesOf } from './licences.ts'
import { policyBundle } from './policies.ts'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

/** The programs named `dayfly`, by package. `pages`: the package has the pages of the doctor's rules, the rules as admission policies for kubectl, and the schemas for editors. `demo`: it runs examples with the small runner. `dashboard`: it serves the page. */
const programs: readonly {
  readonly of: string
  readonly pages?: true
  readonly demo?: true
  readonly dashboard?: true
}[] = [
  { of: 'controller', dashboard: true },
  { of: 'doctor', pages: true },
  { of: 'dayfly', pages: true, demo: true, dashboard: true },
]
const runnerPackage = 'forge-emulators'
type Named = { readonly name: string; readonly version: string }

/** Bundled CommonJS packages load Node's own modules with `require`, which does not exist in an ES module. */
const requireShim =
  "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);"

const started = performance.now()
const common = await commonOptions()
const pages = JSON.stringify(await rulePages())
const policies = policyBundle()
const schemas = schemaFiles()
const runnerFiles = await buildRunner()
const pageFolder = path.join(distOf('dashboard'), 'page')
await rm(pageFolder, { recursive: true, force: true })
const page = await buildPage(pageFolder)
await Promise.all(programs.map(buildProgram))
process.stderr.write(`built the programs in ${Math.round(performance.now() - started)} ms\n`)

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

/** Builds one entry and a chunk for each command, so that a command loads only the code that it needs. */
async function buildProgram({ of, pages: withPages, demo, dashboard }: (typeof programs)[number]): Promise<void> {
  const dist = distOf(of)
  const { metafile } = await build({
    ...common,
    entryPoints: [{ in: `packages/${of}/src/main.ts`, out: 'dayfly' }],
    outdir: dist,
    splitting: true,
    chunkNames: 'chunk-[hash]',
    minifySyntax: true,
    minifyWhitespace: true,
  })
  const made = [
    ...Object.keys(metafile.outputs),
    ...(await writePackages(of, [metafile, ...(dashboard ? [page] : [])])),
    'LICENSE',
  ]
  await copyFile(path.join(root, 'LICENSE'), path.join(dist, 'LICENSE'))
  if (withPages) {
    await writeFile(path.join(dist, 'doctor-rules.json'), pages)
    await writeFile(path.join(dist, 'doctor-policies.yaml'), policies)
    for (const [name, text] of schemas) await writeFile(path.join(dist, name), text)
    made.push('doctor-rules.json', 'doctor-policies.yaml', ...schemas.keys())
  }
  if (dashboard) {
    await rm(path.join(dist, 'page'), { recursive: true, force: true })
    await cp(pageFolder, path.join(dist, 'page'), { recursive: true })
    made.push('page')
  }
  if (demo) {
    for (const name of runnerFiles) await copyFile(path.join(distOf(runnerPackage), name), path.join(dist, name))
    await rm(path.join(dist, 'examples'), { recursive: true, force: true })
    await cp(path.join(root, 'examples'), path.join(dist, 'examples'), { recursive: true })
    made.push(...runnerFiles, 'examples')
  }
  await chmod(path.join(dist, 'dayfly.js'), 0o755)
  await removeOthers(dist, made)
}

/**
 * Builds the runner, which starts once for each job: minified, and with what only Gitea's tasks need in a file of its own, because that loads
 * fastest. Returns the names of its files.
 */
async function buildRunner(): Promise<readonly string[]> {
  const dist = distOf(runnerPackage)
  const { metafile } = await build({
    ...common,
    entryPoints: [{ in: `packages/${runnerPackage}/src/runner/main.ts`, out: 'runner' }],
    outdir: dist,
    splitting: true,
    chunkNames: 'runner-[hash]',
    minify: true,
  })
  const files = Object.keys(metafile.outputs).map((file) => path.basename(file))
  await removeOthers(dist, [...files, ...(await writePackages(runnerPackage, [metafile]))])
  return files
}

function distOf(name: string): string {
  return path.join(root, 'packages', name, 'dist')
}

/** Writes the licences and the bill of materials of the bundled packages. Returns the names of the files. */
async function writePackages(of: string, built: readonly Metafile[]): Promise<readonly string[]> {
  const dist = distOf(of)
  const { name, version } = JSON.parse(await readFile(path.join(dist, '../package.json'), 'utf8')) as Named
  const files = built.flatMap(({ inputs }) => Object.keys(inputs))
  const packages = await bundledPackages(root, files)
  const texts = { 'LICENCES.txt': await licencesOf(packages), 'bom.cdx.json': bundleBill(name, version, packages) }
  await mkdir(dist, { recursive: true })
  for (const [file, text] of Object.entries(texts)) await writeFile(path.join(dist, file), text)
  return Object.keys(texts)
}

async function rulePages(): Promise<Readonly<Record<string, string>>> {
  const folder = path.join(root, 'packages/doctor/src/rules')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.md')).sort()
  const texts = names.map(async (name) => [name.slice(0, -3), await readFile(path.join(folder, name), 'utf8')] as const)
  return Object.fromEntries(await Promise.all(texts))
}

/** Removes the files of earlier builds. It runs last, so that a folder is complete at every moment. */
async function removeOthers(dist: string, made: readonly string[]): Promise<void> {
  const names = new Set(made.map((file) => path.basename(file)))
  const others = (await readdir(dist)).filter((name) => !names.has(name))
  await Promise.all(others.map((name) => rm(path.join(dist, name), { recursive: true, force: true })))
}
