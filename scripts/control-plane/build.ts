// Builds Kubernetes and the programs of the tests from their Go modules into the user's cache, once for each version of the sources and of Go.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { cacheFolder, goVersion, type Missing, runGo } from './go.ts'

/** A folder with the programs. */
export type Programs = { readonly is: 'built'; readonly folder: string } | Missing
export type Built = { readonly is: 'built'; readonly program: string } | Missing
export type ProgramName = keyof typeof packages

/** A Go module with Kubernetes. It requires the other programs, so that one compilation of each package serves all of them. */
const source = fileURLToPath(new URL('../../test/kubernetes/control-plane', import.meta.url))
/** The Go module of the public client of GitHub's scale-set API. A test compiles it where there is no network. */
const client = fileURLToPath(new URL('../../test/kubernetes/scaleset', import.meta.url))

/** The Go module of OpenTelemetry's collector. Its modules do not fit those of Kubernetes. */
const collector = fileURLToPath(new URL('../../test/kubernetes/collector', import.meta.url))

const containerd = 'github.com/containerd/containerd/v2/cmd'
const plugins = 'github.com/containernetworking/plugins/plugins'

/** The package of each program. One with a version is compiled alone: runc needs C, and the modules of the others do not fit those of Kubernetes. */
const packages = {
  controlplane: '.',
  containerd: `${containerd}/containerd`,
  'containerd-shim-runc-v2': `${containerd}/containerd-shim-runc-v2`,
  ctr: `${containerd}/ctr`,
  bridge: `${plugins}/main/bridge`,
  loopback: `${plugins}/main/loopback`,
  'host-local': `${plugins}/ipam/host-local`,
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
  helm: 'helm.sh/helm/v4/cmd/helm',
  crane: 'github.com/google/go-containerregistry/cmd/crane',
  agnhost: 'k8s.io/kubernetes/test/images/agnhost',
  // A package of tests becomes a program of its own.
  'e2e.test': 'k8s.io/kubernetes/test/e2e',
  runc: 'github.com/opencontainers/runc@v1.3.5',
  kubeconform: 'github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0',
  'kube-score': 'github.com/zegl/kube-score/cmd/kube-score@v1.20.0',
  // The Lua of Argo CD.
  glua: 'github.com/yuin/gopher-lua/cmd/glua@v1.1.1',
  actionlint: 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.12',
  cosign: 'github.com/sigstore/cosign/v3/cmd/cosign@v3.1.3',
  // The other major version that installs the charts.
  helm3: 'helm.sh/helm/v3/cmd/helm@v3.22.0',
} as const

/** The programs of a node and of its tests. A machine without kubectl needs that, too. */
export const nodePrograms = [
  ...(['controlplane', 'containerd', 'containerd-shim-runc-v2', 'ctr', 'bridge', 'loopback', 'host-local'] as const),
  ...(['runc', 'helm', 'crane'] as const),
] satisfies readonly ProgramName[]

/** Kubernetes' own tests of a cluster, and the program that most of their containers run. */
export const specPrograms = ['e2e.test', 'agnhost'] as const satisfies readonly ProgramName[]

/** The programs of a release. */
export const releasePrograms = ['helm', 'crane', 'cosign'] as const satisfies readonly ProgramName[]

/** The programs that check charts, workflows and releases. */
export const checkers = [
  'kubeconform',
  'kube-score',
  'actionlint',
  'cosign',
  'helm3',
] as const satisfies readonly ProgramName[]

/** Without debug information, which `-s -w` would drop anyway, the compiler needs a seventh less time. */
const buildFlags = ['-trimpath', '-buildvcs=false', '-gcflags=all=-dwarf=false']

/**
 * Builds those programs that are missing. All together take four minutes on two idle cores with an empty Go cache. Rejects if one of them
 * does not compile.
 */
export async function buildPrograms(names: readonly ProgramName[], signal: AbortSignal): Promise<Programs> {
  const go = await goVersion(source, signal)
  if (typeof go !== 'string') return go
  const folder = path.join(cacheFolder(), `programs-${await fingerprint(go)}`)
  const absent = names.filter((name) => !existsSync(path.join(folder, name)))
  if (absent.length === 0) return { is: 'built', folder }
  process.stderr.write(`building ${absent.join(', ')} from Go modules, which takes minutes the first time …\n`)
  await mkdir(folder, { recursive: true })
  const half = await mkdtemp(`${folder}.`)
  try {
    const missing = await compile(absent, half, signal)
    if (missing) return missing
    for (const name of absent) await rename(path.join(half, name), path.join(folder, name))
    return { is: 'built', folder }
  } finally {
    await rm(half, { recursive: true, force: true })
  }
}

/** Builds one program. */
export async function buildProgram(name: ProgramName, signal: AbortSignal): Promise<Built> {
  const built = await buildPrograms([name], signal)
  return built.is === 'missing' ? built : { is: 'built', program: path.join(built.folder, name) }
}

export function buildControlPlane(signal: AbortSignal): Promise<Built> {
  return buildProgram('controlplane', signal)
}

/** Compiles the scale-set client into Go's own cache. */
export function compileClient(signal: AbortSignal, output = '/dev/null'): Promise<Missing | undefined> {
  return runGo(['build', '-mod=readonly', ...buildFlags, '-o', output, '.'], { cwd: client, signal })
}

/** Builds OpenTelemetry's collector, which takes a minute on two idle cores with an empty Go cache. */
export function compileCollector(signal: AbortSignal, output = '/dev/null'): Promise<Missing | undefined> {
  return runGo(['build', '-mod=readonly', ...buildFlags, '-o', output, '.'], { cwd: collector, signal })
}

async function compile(names: readonly ProgramName[], to: string, signal: AbortSignal): Promise<Missing | undefined> {
  const tests = names.filter((name) => name.endsWith('.test'))
  const all = names.filter((name) => !tests.includes(name)).map((name) => packages[name])
  const own = all.filter((each) => !each.includes('@'))
  const flags = [...buildFlags, '-tags', 'no_btrfs,no_devmapper,no_zfs,seccomp', '-ldflags', await linkerFlags()]
  const built =
    own.length > 0 &&
    (await runGo(['build', '-mod=readonly', ...flags, '-o', `${to}/`, ...own], { cwd: source, signal }))
  if (built) return built
  for (const name of tests) {
    const output = path.join(to, name)
    const missing = await runGo(['test', '-c', '-mod=readonly', ...flags, '-o', output, packages[name]], {
      cwd: source,
      signal,
    })
    if (missing) return missing
  }
  for (const name of names.filter((one) => packages[one].includes('@'))) {
    if (name === 'runc' && !(await hasLibseccomp()))
      return { is: 'missing', why: 'runc needs gcc, libc6-dev, libseccomp-dev and pkg-config' }
    // Go names a program after its package, and two of them are helm.
    const folder = await mkdtemp(path.join(to, 'installed-'))
    const environment = { GOBIN: folder, CGO_ENABLED: name === 'runc' ? '1' : '0' }
    const missing = await runGo(['install', ...flags, packages[name]], { cwd: to, signal, environment })
    if (missing) return missing
    const [program = name] = await readdir(folder)
    await rename(path.join(folder, program), path.join(to, name))
  }
  return undefined
}

async function hasLibseccomp(): Promise<boolean> {
  const run = promisify(execFile)
  const works = (program: string, ...args: readonly string[]) =>
    run(program, args).then(
      () => true,
      () => false,
    )
  return (await works('gcc', '--version')) && (await works('pkg-config', '--exists', 'libseccomp'))
}

/** Returns the linker flags that set the Kubernetes version in the programs. */
async function linkerFlags(): Promise<string> {
  const version = /k8s\.io\/kubernetes v(1\.(\d+)\.\d+)/.exec(await readFile(path.join(source, 'go.mod'), 'utf8'))
  if (!version) throw new Error(`${source}/go.mod does not name a version of k8s.io/kubernetes`)
  const stamp = '-X k8s.io/component-base/version'
  return `-s -w ${stamp}.gitVersion=v${version[1]} ${stamp}.gitMajor=1 ${stamp}.gitMinor=${version[2]}`
}

/** Returns a hash of the sources and of the Go version. */
async function fingerprint(go: string): Promise<string> {
  const hash = createHash('sha256').update(go).update(JSON.stringify(packages))
  for (const name of ['main.go', 'go.mod', 'go.sum']) hash.update(await readFile(path.join(source, name)))
  return hash.digest('hex').slice(0, 12)
}
