// Builds a Kubernetes control plane from its Go modules into the user's cache, once for each version of the source and of Go.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheFolder, goVersion, type Missing, runGo } from './go.ts'

export type Built = { readonly is: 'built'; readonly program: string } | Missing

/** The folder of the control plane's Go module. */
export const source = fileURLToPath(new URL('../../test/kubernetes/control-plane', import.meta.url))

/**
 * Builds the program. It takes half a minute with a warm Go cache, and minutes and several GB with an empty one. Rejects if the program does
 * not compile.
 */
export async function buildControlPlane(signal: AbortSignal): Promise<Built> {
  const go = await goVersion(source, signal)
  if (typeof go !== 'string') return go
  const program = path.join(cacheFolder(), `control-plane-${await fingerprint(go)}`, 'controlplane')
  if (existsSync(program)) return { is: 'built', program }
  process.stderr.write('real API server: building it from its Go modules, which takes minutes the first time …\n')
  return await build(program, signal)
}

async function build(program: string, signal: AbortSignal): Promise<Built> {
  await mkdir(path.dirname(program), { recursive: true })
  const half = `${program}.${process.pid}`
  try {
    const flags = await linkerFlags()
    const args = ['build', '-mod=readonly', '-trimpath', '-ldflags', flags, '-o', half, '.']
    const missing = await runGo(args, { cwd: source, signal })
    if (missing) return missing
    await rename(half, program)
    return { is: 'built', program }
  } finally {
    await rm(half, { force: true })
  }
}

/** Returns the linker flags that set the Kubernetes version in the programs. */
export async function linkerFlags(): Promise<string> {
  const version = /k8s\.io\/kubernetes v(1\.(\d+)\.\d+)/.exec(await readFile(path.join(source, 'go.mod'), 'utf8'))
  if (!version) throw new Error(`${source}/go.mod does not name a version of k8s.io/kubernetes`)
  const stamp = '-X k8s.io/component-base/version'
  return `-s -w ${stamp}.gitVersion=v${version[1]} ${stamp}.gitMajor=1 ${stamp}.gitMinor=${version[2]}`
}

/** Returns a hash of the source and of the Go version. */
async function fingerprint(go: string): Promise<string> {
  const hash = createHash('sha256').update(go)
  for (const name of ['main.go', 'go.mod', 'go.sum']) hash.update(await readFile(path.join(source, name)))
  return hash.digest('hex').slice(0, 12)
}
