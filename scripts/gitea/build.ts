// Builds a Gitea server from its Go module into the user's cache, once for each version of Go.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { cacheFolder, downloadModule, goVersion, type Missing, runGo } from '../control-plane/go.ts'

export type GiteaProgram = {
  readonly is: 'built'
  readonly program: string
  /** The folder of the module, from which the server reads its templates and translations. */
  readonly assets: string
}

/** The last version that can be built: the proxy of Go does not serve some modules of the later ones. */
export const giteaVersion = '1.26.0'

/** Gitea needs C for SQLite. */
const recipe = {
  tags: 'sqlite sqlite_unlock_notify',
  ldflags: `-s -w -X main.Version=${giteaVersion}`,
  flags: ['-mod=readonly', '-buildvcs=false', '-trimpath'],
} as const

const programName = 'gitea'

/** Returns why `buildGitea` would have to build the server first, or undefined if the server is built. Builds and downloads nothing. */
export async function whyNoGitea(signal: AbortSignal): Promise<string | undefined> {
  const go = await goVersion(tmpdir(), signal)
  if (typeof go !== 'string') return go.why
  if (existsSync(path.join(folderFor(go), programName))) return undefined
  return `Gitea ${giteaVersion} is not built yet: npx tsx scripts/real-gitea.ts builds it`
}

/** Builds the server if it is missing: five minutes on two idle cores with an empty Go cache. Rejects if it does not compile. */
export async function buildGitea(signal: AbortSignal): Promise<GiteaProgram | Missing> {
  const go = await goVersion(tmpdir(), signal)
  if (typeof go !== 'string') return go
  const module = await downloadModule(`code.gitea.io/gitea@v${giteaVersion}`, signal)
  if (module.is === 'missing') return module
  const folder = folderFor(go)
  const built: GiteaProgram = { is: 'built', program: path.join(folder, programName), assets: module.folder }
  if (existsSync(built.program)) return built
  if (!(await hasCompiler(signal))) return { is: 'missing', why: 'Gitea needs gcc and libc6-dev' }
  process.stderr.write(`building Gitea ${giteaVersion} from its Go module, which takes minutes the first time …\n`)
  await mkdir(cacheFolder(), { recursive: true })
  const half = await mkdtemp(`${folder}.`)
  try {
    const { flags, tags, ldflags } = recipe
    // The module is the main module in its own folder: Go refuses to install it from elsewhere, because it replaces others.
    const build = ['build', '-C', module.folder, ...flags, '-tags', tags, '-ldflags', ldflags]
    const environment = { CGO_ENABLED: '1', GOFLAGS: '' }
    const missing = await runGo([...build, '-o', path.join(half, programName), '.'], { cwd: half, signal, environment })
    if (missing) return missing
    await rm(folder, { recursive: true, force: true })
    await rename(half, folder)
    return built
  } finally {
    await rm(half, { recursive: true, force: true })
  }
}

function hasCompiler(signal: AbortSignal): Promise<boolean> {
  return promisify(execFile)('gcc', ['--version'], { signal }).then(
    () => true,
    () => false,
  )
}

/** Returns the folder of the server that this version of Go builds. */
function folderFor(go: string): string {
  return path.join(cacheFolder(), `gitea-${fingerprint(go)}`)
}

function fingerprint(go: string): string {
  return createHash('sha256')
    .update(go)
    .update(JSON.stringify([giteaVersion, recipe]))
    .digest('hex')
    .slice(0, 12)
}
