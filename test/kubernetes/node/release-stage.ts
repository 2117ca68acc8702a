// Everything that the page about releases takes for granted: a registry on this machine, throw-away keys, a cluster and the programs.
import { execFile, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { buildProgram, type ProgramName } from '../../../scripts/control-plane/build.ts'
import { createWorld, until } from '../../cli.ts'
import { findKubectl } from '../kubectl.ts'
import { createShell } from './guide-shell.ts'
import { root } from './images.ts'

const run = promisify(execFile)

export type ReleaseStage = Awaited<ReturnType<typeof openReleaseStage>>

/** Returns the path of each program that a release and its installation need, or why one is missing. */
export async function releasePrograms(): Promise<ReadonlyMap<string, string> | string> {
  const found = new Map<string, string>()
  for (const name of ['crane', 'cosign', 'helm', 'helm3'] as const satisfies readonly ProgramName[]) {
    const built = await buildProgram(name, new AbortController().signal)
    if (built.is === 'missing') return `${name} cannot be built: ${built.why}`
    found.set(name, built.program)
  }
  const kubectl = await findKubectl()
  if (kubectl.is === 'missing') return kubectl.why
  found.set('kubectl', kubectl.program)
  const hasGpg = await run('gpg', ['--version']).then(
    () => true,
    () => false,
  )
  return hasGpg ? found : 'gpg is missing (Debian: gnupg)'
}

/** Starts the registry and the cluster. @param node the kubeconfig of a real node; without one, the cluster is the embedded one */
export async function openReleaseStage(programs: ReadonlyMap<string, string>, node: string | undefined) {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'release-')))
  const registry = await startRegistry(programs.get('crane') ?? 'crane')
  const world = createWorld()
  const kubeconfig = node ?? (await startCluster(world, `${registry.address}/acme/dayfly`))
  const shell = createShell(kubeconfig, '')
  const bin = path.join(shell.folder, 'global/bin')
  mkdirSync(bin, { recursive: true })
  for (const name of ['crane', 'cosign', 'kubectl']) link(programs.get(name), path.join(bin, name))
  const keys = await createKeys(folder)
  return {
    shell,
    registry: registry.address,
    crane: programs.get('crane') ?? 'crane',
    own: {
      REGISTRY: `${registry.address}/acme`,
      ...keys.own,
      COSIGN_PASSWORD: '',
      // Where the trial writes, and the key that signs it.
      RELEASE: path.join(root, 'dist/release/assets'),
      SIGNER: '--key cosign.pub --insecure-ignore-tlog',
      DAYFLY_NAMESPACE: 'released',
      RUNNER_NAMESPACE: 'released-runners',
    },
    /** Lets `helm` be this version of it. The registry has no TLS, and `helm install` must know that. */
    useHelm: (name: 'helm' | 'helm3') => {
      const program = programs.get(name) ?? name
      const script = `#!/bin/bash\n[[ $1 == install ]] && set -- "$@" --plain-http\nexec ${program} "$@"\n`
      writeFileSync(path.join(bin, 'helm'), script)
      chmodSync(path.join(bin, 'helm'), 0o755)
    },
    close: async () => {
      await keys.close()
      world.end()
      registry.close()
      shell.close()
      rmSync(folder, { recursive: true })
    },
  }
}

function link(program: string | undefined, to: string): void {
  if (program !== undefined && path.isAbsolute(program)) symlinkSync(program, to)
}

async function startRegistry(crane: string) {
  const server = spawn(crane, ['registry', 'serve', '--address', '127.0.0.1:0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  server.stderr.setEncoding('utf8').on('data', (text: string) => (log += text))
  const port = await until('the registry serves', 20_000, () => /serving on port (\d+)/.exec(log)?.[1])
  return { address: `127.0.0.1:${port}`, close: () => server.kill() }
}

/** The embedded cluster runs programs and pulls no image, so it needs the program of this one. */
async function startCluster(world: ReturnType<typeof createWorld>, image: string): Promise<string> {
  const cluster = world.start(
    'cluster',
    '--json',
    '--image',
    `${image}=${path.join(root, 'packages/dayfly/bin/dayfly.js')}`,
  )
  const line = await until('it prints its address', 10_000, () => /^\{.*\}$/m.exec(cluster.stdout())?.[0])
  return (JSON.parse(line) as { readonly kubeconfig: string }).kubeconfig
}

/** Creates the OpenPGP key of the charts. The page itself creates that of cosign. */
async function createKeys(folder: string) {
  const home = path.join(folder, 'gpg')
  mkdirSync(home, { mode: 0o700 })
  const env = { ...process.env, GNUPGHOME: home }
  const gpg = (...args: readonly string[]) => run('gpg', ['--batch', '--quiet', ...args], { env })
  const [secret, open] = ['secret.gpg', 'public.gpg'].map((name) => path.join(folder, name)) as [string, string]
  await gpg('--passphrase', '', '--quick-generate-key', 'trial <trial@registry.example>', 'rsa3072', 'sign', 'never')
  await gpg('--output', secret, '--export-secret-keys')
  await gpg('--output', open, '--export')
  return {
    own: { CHART_KEYRING: secret, CHART_SIGNER: 'trial', KEYRING: open },
    // gpg leaves an agent behind.
    close: () => run('gpgconf', ['--kill', 'all'], { env }),
  }
}
