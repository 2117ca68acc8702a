// Builds the programs of a real node from their Go modules into the user's cache: kubelet, containerd, runc and the plugins of a pod network.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { linkerFlags, source } from '../control-plane/build.ts'
import { cacheFolder, goVersion, type Missing, runGo } from '../control-plane/go.ts'

/** A folder with every program of the node. */
export type NodePrograms = { readonly is: 'built'; readonly folder: string } | Missing

const run = promisify(execFile)
const kubelet = fileURLToPath(new URL('kubelet.go', import.meta.url))
const containerd = 'github.com/containerd/containerd/v2/cmd'
const plugins = 'github.com/containernetworking/plugins/plugins'

/** The modules to install. Go checks each against its checksum database. `cgo`: runc needs C and the headers of libseccomp. */
const installed: readonly { readonly module: string; readonly version: string; readonly cgo?: true }[] = [
  ...['containerd', 'containerd-shim-runc-v2', 'ctr'].map((name) => ({
    module: `${containerd}/${name}`,
    version: 'v2.3.7',
  })),
  { module: 'github.com/opencontainers/runc', version: 'v1.3.5', cgo: true },
  ...['main/bridge', 'main/loopback', 'ipam/host-local'].map((name) => ({
    module: `${plugins}/${name}`,
    version: 'v1.9.1',
  })),
]

/** Builds the programs. It takes a minute with a warm Go cache, and several with an empty one. Rejects if a program does not compile. */
export async function buildNode(signal: AbortSignal): Promise<NodePrograms> {
  const go = await goVersion(source, signal)
  if (typeof go !== 'string') return go
  const folder = path.join(cacheFolder(), `node-${await fingerprint(go)}`)
  if (existsSync(folder)) return { is: 'built', folder }
  process.stderr.write('real node: building it from its Go modules, which takes minutes the first time …\n')
  await mkdir(cacheFolder(), { recursive: true })
  const half = await mkdtemp(`${folder}.`)
  try {
    const missing = (await buildKubelet(half, signal)) ?? (await install(half, signal))
    if (missing) return missing
    await rename(half, folder)
    return { is: 'built', folder }
  } finally {
    await rm(half, { recursive: true, force: true })
  }
}

/** Builds the kubelet in the Go module of the control plane, so that both have the same versions. Adds the kubelet's own requirements. */
async function buildKubelet(folder: string, signal: AbortSignal): Promise<Missing | undefined> {
  const module = path.join(folder, 'module')
  await mkdir(module)
  for (const name of ['go.mod', 'go.sum']) await copyFile(path.join(source, name), path.join(module, name))
  await copyFile(kubelet, path.join(module, 'main.go'))
  const args = ['build', '-mod=mod', '-trimpath', '-ldflags', await linkerFlags(), '-o', path.join(folder, 'kubelet')]
  const missing = await runGo([...args, '.'], { cwd: module, signal })
  await rm(module, { recursive: true })
  return missing
}

async function install(folder: string, signal: AbortSignal): Promise<Missing | undefined> {
  for (const { module, version, cgo } of installed) {
    if (cgo && !(await hasLibseccomp()))
      return { is: 'missing', why: 'runc needs gcc, libc6-dev, libseccomp-dev and pkg-config' }
    const environment = { GOBIN: folder, CGO_ENABLED: cgo ? '1' : '0' }
    const args = ['install', '-trimpath', '-tags', 'no_btrfs,no_devmapper,no_zfs,seccomp', `${module}@${version}`]
    const missing = await runGo(args, { cwd: folder, signal, environment })
    if (missing) return missing
  }
  return undefined
}

async function hasLibseccomp(): Promise<boolean> {
  const works = (program: string, ...args: readonly string[]) =>
    run(program, args).then(
      () => true,
      () => false,
    )
  return (await works('gcc', '--version')) && (await works('pkg-config', '--exists', 'libseccomp'))
}

/** Returns a hash of the versions of the sources and of Go. */
async function fingerprint(go: string): Promise<string> {
  const hash = createHash('sha256').update(go).update(JSON.stringify(installed))
  for (const file of [kubelet, path.join(source, 'go.mod')]) hash.update(await readFile(file))
  return hash.digest('hex').slice(0, 12)
}
