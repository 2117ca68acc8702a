// Runs Go: returns its version, builds programs, and names the cache folder. It distinguishes missing downloads from compile errors.
import { execFile } from 'node:child_process'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

export type Missing = { readonly is: 'missing'; readonly why: string }

type GoOptions = {
  readonly cwd: string
  readonly signal: AbortSignal
  readonly environment?: Readonly<Record<string, string>>
}

const run = promisify(execFile)
const offline =
  /dial tcp|no such host|i\/o timeout|connection refused|proxyconnect|TLS handshake|module lookup disabled|(502|503|504) /

/** Resolves with the output of `go version` in this folder. */
export async function goVersion(cwd: string, signal: AbortSignal): Promise<string | Missing> {
  try {
    return (await run('go', ['version'], { cwd, signal })).stdout.trim()
  } catch (error) {
    signal.throwIfAborted()
    const { code, stderr } = error as { code?: unknown; stderr?: string }
    return { is: 'missing', why: code === 'ENOENT' ? 'Go is not installed' : firstLine(stderr) }
  }
}

/** Runs `go` with these arguments. Resolves with the reason if Go cannot download modules. Rejects if the code does not compile. */
export async function runGo(args: readonly string[], options: GoOptions): Promise<Missing | undefined> {
  const { cwd, signal, environment } = options
  // The compiler spends a quarter of its time in garbage collections if it may not use more memory.
  const env = { GOGC: '400', ...process.env, CGO_ENABLED: '0', ...environment }
  try {
    await run('nice', ['go', ...args], { cwd, env, signal, maxBuffer: 64 * 1024 * 1024 })
    return undefined
  } catch (error) {
    signal.throwIfAborted()
    const { stderr = '' } = error as { stderr?: string }
    if (offline.test(stderr)) return { is: 'missing', why: 'the Go modules cannot be downloaded' }
    throw new Error(`go ${args.join(' ')} failed:\n${stderr.slice(-4000)}`, { cause: error })
  }
}

/** Downloads a module, such as `example.com/module@v1.2.3`, and resolves with its folder in Go's cache. */
export async function downloadModule(
  module: string,
  signal: AbortSignal,
): Promise<{ readonly is: 'downloaded'; readonly folder: string } | Missing> {
  try {
    // Outside a module, so that no go.mod of this folder decides.
    const { stdout } = await run('go', ['mod', 'download', '-json', module], { cwd: tmpdir(), signal })
    const { Dir: folder } = JSON.parse(stdout) as { readonly Dir: string }
    return { is: 'downloaded', folder }
  } catch (error) {
    signal.throwIfAborted()
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string }
    if (offline.test(`${stdout}${stderr}`))
      return { is: 'missing', why: `the Go module ${module} cannot be downloaded` }
    throw new Error(`go mod download ${module} failed:\n${stdout}${stderr}`, { cause: error })
  }
}

export function cacheFolder(): string {
  return path.join(process.env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache'), 'dayfly')
}

function firstLine(text = ''): string {
  return `Go failed: ${text.trim().split('\n')[0]?.slice(0, 200)}`
}
