// Bundles the programs: each package with a program gets its own dist/.
import { chmod, copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type Metafile } from 'esbuild'
import { buildPage } from './build-page.ts'
import { schemaFiles } from './generated.ts'
import { bundleBill, bundledPackages, licencesOf } from './licences.ts'
import { policyBundle } from './policies.ts'
import { publish } from './publish.ts'

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
type Parts = { readonly runnerFiles: readonly string[]; readonly page: Metafile }
type Named = { readonly name: string; readonly version: string }

/** Bundled CommonJS packages load Node's own modules with `require`, which does not exist in an ES module. */
const requireShim =
  "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);"

const started = performance.now()
const common = await commonOptions()
const pages = JSON.stringify(await rulePages())
const policies = policyBundle()
const schemas = schemaFiles()
await mkdir(path.join(root, 'dist'), { recursive: true })
/** The dist/ of each package is made here, and then published. */
const staged = await mkdtemp(path.join(root, 'dist/build-'))
try {
  await buildAll()
} finally {
  await rm(staged, { recursive: true, force: true })
}
process.stderr.write(`built the programs in ${Math.round(performance.now() - started)} ms\n`)

async function buildAll(): Promise<void> {
  const runnerFiles = await buildRunner()
  const page = await buildPage(pageFolder())
  await Promise.all(programs.map((program) => buildProgram(program, { runnerFiles, page })))
  const packages = [runnerPackage, 'dashboard', ...programs.map(({ of }) => of)]
  for (const name of packages) await publish(stagedOf(name), path.join(root, 'packages', name, 'dist'))
}

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
async function buildProgram(
  { of, pages: withPages, demo, dashboard }: (typeof programs)[number],
  { runnerFiles, page }: Parts,
): Promise<void> {
  const dist = stagedOf(of)
  const { metafile } = await build({
    ...common,
    entryPoints: [{ in: `packages/${of}/src/main.ts`, out: 'dayfly' }],
    outdir: dist,
    splitting: true,
    chunkNames: 'chunk-[hash]',
    minifySyntax: true,
    minifyWhitespace: true,
  })
  await writePackages(of, [metafile, ...(dashboard ? [page] : [])])
  await copyFile(path.join(root, 'LICENSE'), path.join(dist, 'LICENSE'))
  if (withPages) {
    await writeFile(path.join(dist, 'doctor-rules.json'), pages)
    await writeFile(path.join(dist, 'doctor-policies.yaml'), policies)
    for (const [name, text] of schemas) await writeFile(path.join(dist, name), text)
  }
  if (dashboard) await cp(pageFolder(), path.join(dist, 'page'), { recursive: true })
  if (demo) {
    for (const name of runnerFiles) await copyFile(path.join(stagedOf(runnerPackage), name), path.join(dist, name))
    await cp(path.join(root, 'examples'), path.join(dist, 'examples'), { recursive: true })
  }
  await chmod(path.join(dist, 'dayfly.js'), 0o755)
}

/**
 * Builds the runner, which starts once for each job: minified, and with what only Gitea's tasks need in a file of its own, because that loads
 * fastest. Returns the names of its files.
 */
async function buildRunner(): Promise<readonly string[]> {
  const { metafile } = await build({
    ...common,
    entryPoints: [{ in: `packages/${runnerPackage}/src/runner/main.ts`, out: 'runner' }],
    outdir: stagedOf(runnerPackage),
    splitting: true,
    chunkNames: 'runner-[hash]',
    minify: true,
  })
  await writePackages(runnerPackage, [metafile])
  return Object.keys(metafile.outputs).map((file) => path.basename(file))
}

function stagedOf(name: string): string {
  return path.join(staged, name)
}

function pageFolder(): string {
  return path.join(stagedOf('dashboard'), 'page')
}

/** Writes the licences and the bill of materials of the bundled packages. */
async function writePackages(of: string, built: readonly Metafile[]): Promise<void> {
  const { name, version } = JSON.parse(await readFile(path.join(root, 'packages', of, 'package.json'), 'utf8')) as Named
  const files = built.flatMap(({ inputs }) => Object.keys(inputs))
  const packages = await bundledPackages(root, files)
  const texts = { 'LICENCES.txt': await licencesOf(packages), 'bom.cdx.json': bundleBill(name, version, packages) }
  for (const [file, text] of Object.entries(texts)) await writeFile(path.join(stagedOf(of), file), text)
}

async function rulePages(): Promise<Readonly<Record<string, string>>> {
  const folder = path.join(root, 'packages/doctor/src/rules')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.md')).sort()
  const texts = names.map(async (name) => [name.slice(0, -3), await readFile(path.join(folder, name), 'utf8')] as const)
  return Object.fromEntries(await Promise.all(texts))
}
