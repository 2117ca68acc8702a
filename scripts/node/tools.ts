// Provides the programs of operators that the tests run: helm, built from its Go module into the user's cache, and kubectl.
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { findKubectl } from '../../test/kubernetes/kubectl.ts'
import { source } from '../control-plane/build.ts'
import { cacheFolder, goVersion, type Missing, runGo } from '../control-plane/go.ts'

/** The folders with the programs, for PATH. */
export type Tools = { readonly is: 'built'; readonly folders: readonly string[] } | Missing

const helm = { module: 'helm.sh/helm/v4/cmd/helm', version: 'v4.3.1' }

/** Builds the tools. It takes minutes the first time. Rejects if a program does not compile. */
export async function buildTools(signal: AbortSignal): Promise<Tools> {
  const go = await goVersion(source, signal)
  if (typeof go !== 'string') return go
  const folder = path.join(cacheFolder(), `helm-${helm.version}`)
  const missing = existsSync(path.join(folder, 'helm')) ? undefined : await buildHelm(folder, signal)
  if (missing) return missing
  const kubectl = await findKubectl()
  if (kubectl.is === 'missing') return kubectl
  // A program without a folder is in PATH already.
  const folders = kubectl.program.includes('/') ? [folder, path.dirname(kubectl.program)] : [folder]
  return { is: 'built', folders }
}

async function buildHelm(folder: string, signal: AbortSignal): Promise<Missing | undefined> {
  process.stderr.write('real node: building helm from its Go module, which takes minutes the first time …\n')
  await mkdir(folder, { recursive: true })
  const half = await mkdtemp(`${folder}.`)
  try {
    const args = ['install', '-trimpath', '-ldflags', '-s -w', `${helm.module}@${helm.version}`]
    const missing = await runGo(args, { cwd: half, signal, environment: { GOBIN: half } })
    if (missing) return missing
    await rename(path.join(half, 'helm'), path.join(folder, 'helm'))
    return undefined
  } finally {
    await rm(half, { recursive: true, force: true })
  }
}
