// Builds a Kubernetes control plane from their Go modules, once a source and Go version, into the user's cache.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export type Built =
  | { readonly is: 'built'; readonly program: string }
  | { readonly is: 'missing'; readonly why: string }

const run = promisify(execFile)
const source = fileURLToPath(new URL('../../test/kubernetes/control-plane', import.meta.url))
const offline =
  /dial tcp|no such host|i\/o timeout|connection refused|proxyconnect|TLS handshake|module lookup disabled|(502|503|504) /

/** Half a minute with a warm Go cache; minutes, and some GB of modules and objects, with an empty one. Rejects where the program does not compile. */
export async function buildControlPlane(signal: AbortSignal): Promise<Built> {
  const go = await run('go', ['version'], { cwd: source, signal }).then(
    ({ stdout }) => ({ version: stdout.trim() }),
    (error: unknown) => ({ error: error as { code?: unknown; stderr?: string } }),
  )
  signal.throwIfAborted()
  if ('error' in go) {
    return { is: 'missing', why: go.error.code === 'ENOENT' ? 'Go is not installed' : firstLine(go.error.stderr) }
  }
  const program = path.join(cacheFolder(), `control-plane-${await fingerprint(go.version)}`, 'controlplane')
  if (existsSync(program)) return { is: 'built', program }
  process.stderr.write('real API server: building it from its Go modules, which takes minutes the first time …\n')
  return await build(program, signal)
}

async function build(program: string, signal: AbortSignal): Promise<Built> {
  await mkdir(path.dirname(program), { recursive: true })
  const half = `${program}.${process.pid}`
  const version = /k8s\.io\/kubernetes v(1\.(\d+)\.\d+)/.exec(await readFile(path.join(source, 'go.mod'), 'utf8'))
  if (!version) throw new Error(`${source}/go.mod names no version of k8s.io/kubernetes`)
  const stamp = '-X k8s.io/component-base/version'
  const flags = `-s -w ${stamp}.gitVersion=v${version[1]} ${stamp}.gitMajor=1 ${stamp}.gitMinor=${version[2]}`
  const args = ['go', 'build', '-mod=readonly', '-trimpath', '-ldflags', flags, '-o', half, '.']
  const env = { ...process.env, CGO_ENABLED: '0' }
  try {
    await run('nice', args, { cwd: source, env, signal, maxBuffer: 64 * 1024 * 1024 })
    await rename(half, program)
    return { is: 'built', program }
  } catch (error) {
    signal.throwIfAborted()
    const { stderr = '' } = error as { stderr?: string }
    if (offline.test(stderr)) return { is: 'missing', why: 'the Go modules of Kubernetes cannot be fetched here' }
    throw new Error(`the control plane cannot be built:\n${stderr.slice(-4000)}`, { cause: error })
  } finally {
    await rm(half, { force: true })
  }
}

/** What the program is made of: another source or another Go makes another program. */
async function fingerprint(go: string): Promise<string> {
  const hash = createHash('sha256').update(go)
  for (const name of ['main.go', 'go.mod', 'go.sum']) hash.update(await readFile(path.join(source, name)))
  return hash.digest('hex').slice(0, 12)
}

function firstLine(text = ''): string {
  return `Go does not work here: ${text.trim().split('\n')[0]?.slice(0, 200)}`
}

function cacheFolder(): string {
  return path.join(process.env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache'), 'dayfly')
}
