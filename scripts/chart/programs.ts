// Builds helm, the checkers of charts and crane from their Go modules into the user's cache, once for each version.
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { cacheFolder, goVersion, type Missing, runGo } from '../control-plane/go.ts'

const programs = {
  helm: { module: 'helm.sh/helm/v4/cmd/helm', version: 'v4.3.1' },
  kubeconform: { module: 'github.com/yannh/kubeconform/cmd/kubeconform', version: 'v0.8.0' },
  'kube-score': { module: 'github.com/zegl/kube-score/cmd/kube-score', version: 'v1.20.0' },
  crane: { module: 'github.com/google/go-containerregistry/cmd/crane', version: 'v0.22.1' },
} as const

export type ProgramName = keyof typeof programs

export type Program = { readonly is: 'built'; readonly program: string } | Missing

/** Finds or builds the program. A build takes seconds with a warm Go cache and minutes with an empty one. Rejects if it does not compile. */
export async function buildProgram(name: ProgramName, signal: AbortSignal): Promise<Program> {
  const { module, version } = programs[name]
  const folder = path.join(cacheFolder(), `${name}-${version}`)
  const program = path.join(folder, name)
  if (existsSync(program)) return { is: 'built', program }
  const go = await goVersion(tmpdir(), signal)
  if (typeof go !== 'string') return go
  process.stderr.write(`building ${name} ${version} from its Go module …\n`)
  await mkdir(folder, { recursive: true })
  const half = await mkdtemp(`${folder}.`)
  try {
    const args = ['install', '-trimpath', '-ldflags', '-s -w', `${module}@${version}`]
    const missing = await runGo(args, { cwd: half, signal, environment: { GOBIN: half } })
    if (missing) return missing
    await rename(path.join(half, name), program)
    return { is: 'built', program }
  } finally {
    await rm(half, { recursive: true, force: true })
  }
}
