// `dayfly cluster`: runs only the embedded cluster, for kubectl and other controllers.
import { accessSync, constants, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { Command, Option } from 'commander'
import type { Profile } from '../embedded/api/api.ts'
import { createCluster } from '../embedded/cluster.ts'
import { findMountNamespaces } from '../embedded/runtime/process/mounts.ts'
import { createProcessRuntime, type ProcessRuntimeOptions } from '../embedded/runtime/process/process-runtime.ts'
import type { DataDirectory } from '../embedded/store/data-directory.ts'
import { kubeconfigText } from '../embedded/wire/kubeconfig.ts'
import { aborted } from '../lib/signals.ts'
import { systemClock, systemRandom } from '../lib/system.ts'
import { type Identity, newIdentity, openData } from './cluster-data.ts'
import { endAbandoned, type HomeKeeper, homeKeeper } from './demo/home.ts'
import { wholeNumber } from './demo/input.ts'
import { CliFailure, codeOf } from './failure.ts'
import { type Interrupted, listenForInterruption } from './interruption.ts'
import { printJson, printLine, printNote } from './output.ts'
import { listenOn } from './port.ts'

type Options = {
  readonly port: number
  readonly kubeconfig?: string
  readonly profile: Profile
  readonly dataDir?: string
  readonly image?: readonly string[]
  readonly json?: true
}

const profiles = ['1.29', '1.30', '1.31', '1.32', '1.33', '1.34', '1.35', '1.36'] as const satisfies readonly Profile[]
const user = 'dayfly-admin'
/** Identifies a kubeconfig of this command. The command never overwrites any other file. */
const firstLine = '# Written by "dayfly cluster". The cluster ends with that command.'

const examples = `
Examples:
  dayfly cluster                                     print the path of a temporary kubeconfig
  dayfly cluster --port 6443 --kubeconfig ./config   use a fixed port and file
  dayfly cluster --profile 1.30                      behave like Kubernetes 1.30
  dayfly cluster --data-dir ./data                   keep the objects for the next start
  dayfly cluster --image tool:1=/usr/bin/tool        run /usr/bin/tool for the image tool:1`

const noMounts =
  'This host allows no mount namespaces (unshare --mount). Containers find their volumes below $DAYFLY_ROOT, not at their absolute paths.'

export function clusterCommand(): Command {
  return new Command('cluster')
    .description(
      'Runs a Kubernetes cluster with one node on 127.0.0.1 until you press Ctrl-C.\nContainers are processes of this machine. They are not isolated.',
    )
    .option('--port <number>', 'port of the API server; 0 means any free port', wholeNumber('--port', 0, 65_535), 0)
    .option('--kubeconfig <file>', 'file to write the kubeconfig to (default: a temporary file)')
    .addOption(new Option('--profile <version>', 'Kubernetes version to behave like').choices(profiles).default('1.36'))
    .option('--data-dir <directory>', 'directory that keeps the objects (default: they end with the command)')
    .addOption(
      new Option('--image <name=program>', 'run this program of the machine for an image; may be repeated').argParser(
        (value: string, before: readonly string[] = []) => [...before, value],
      ),
    )
    .option('--json', 'print the URL and the path of the kubeconfig as one line of JSON')
    .addHelpText('after', examples)
    .action((options: Options) => runCluster(options))
}

async function runCluster(options: Options): Promise<void> {
  const clock = systemClock()
  await endAbandoned(clock)
  const keeper = homeKeeper(clock)
  const interruption = listenForInterruption((interrupted) => leaveAtOnce(keeper, interrupted))
  try {
    const { dataDir } = options
    const kept = dataDir === undefined ? undefined : await openData(dataDir, clock, systemRandom())
    try {
      const identity = kept?.identity ?? newIdentity(clock, systemRandom())
      await serve({ ...options, data: kept?.data, identity }, keeper, interruption.signal)
    } finally {
      await kept?.data.close()
    }
  } finally {
    await keeper.remove()
    interruption.release()
  }
}

type Served = Options & { readonly data: DataDirectory | undefined; readonly identity: Identity }

async function serve(options: Served, { home }: HomeKeeper, until: AbortSignal): Promise<void> {
  const clock = systemClock()
  const random = systemRandom()
  const { data, identity } = options
  const { token } = identity
  const environment = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' }
  const namespaces = findMountNamespaces()
  const cluster = createCluster({
    clock,
    random,
    runtime: createProcessRuntime({
      dataDirectory: home.cluster,
      clock,
      environment,
      images: imagesOf(options.image),
      namespaces,
    }),
    profile: options.profile,
    data,
    identity,
    users: new Map([[token, user]]),
    onError: (error) => printNote(`the API server failed: ${error instanceof Error ? error.stack : String(error)}`),
  })
  const kubeconfig = resolve(options.kubeconfig ?? home.kubeconfig)
  let written = false
  try {
    const endpoint = await listenOn(cluster, options.port, 'The cluster')
    writeKubeconfig(kubeconfig, kubeconfigText({ server: endpoint.origin, ca: endpoint.ca, user, token }))
    written = true
    printAccess(endpoint.origin, kubeconfig, options)
    if (namespaces === undefined) printNote(noMounts)
    await aborted(until)
  } finally {
    await cluster.stop()
    if (written) rmSync(kubeconfig, { force: true })
  }
}

/** Reads `NAME=PROGRAM`. The program must be an absolute path: containers have other working directories. */
function imagesOf(given: readonly string[] = []): ProcessRuntimeOptions['images'] {
  const images = given.map((value) => {
    const [name = '', program = ''] = [value.slice(0, value.indexOf('=')), value.slice(value.indexOf('=') + 1)]
    if (name !== '' && isAbsolute(program) && isProgram(program)) {
      return [name, { entrypoint: program, program: [program] }] as const
    }
    throw new CliFailure({
      code: 'image-unusable',
      sentence: `--image ${value} does not name an image and an executable file.`,
      next: 'Write --image NAME=PROGRAM with the absolute path of a program, for example --image tool:1=/usr/bin/tool.',
    })
  })
  return Object.fromEntries(images)
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** Writes the kubeconfig. Only its owner may read it, because it contains the token. */
function writeKubeconfig(file: string, content: string): void {
  if (isForeign(file)) {
    throw new CliFailure({
      code: 'kubeconfig-exists',
      sentence: `${file} exists and was not written by "dayfly cluster".`,
      next: 'Choose another file with --kubeconfig, or omit --kubeconfig to use a temporary file.',
    })
  }
  try {
    rmSync(file, { force: true })
    writeFileSync(file, `${firstLine}\n${content}`, { mode: 0o600, flag: 'wx' })
  } catch (cause) {
    throw new CliFailure({
      code: 'kubeconfig-unwritable',
      sentence: `The kubeconfig ${file} cannot be written (${codeOf(cause)}).`,
      next: 'Choose another file with --kubeconfig, or omit --kubeconfig to use a temporary file.',
      cause,
    })
  }
}

function isForeign(file: string): boolean {
  try {
    return !readFileSync(file, 'utf8').startsWith(firstLine)
  } catch (error) {
    return codeOf(error) !== 'ENOENT'
  }
}

function printAccess(url: string, kubeconfig: string, { json, profile }: Options): void {
  if (json) {
    printJson({ url, kubeconfig })
    return
  }
  printLine(`The embedded Kubernetes ${profile} cluster listens on ${url}. Press Ctrl-C to stop it.\n`)
  printLine(`  export KUBECONFIG=${kubeconfig}\n`)
  printLine(
    "Try:  kubectl get nodes\n      kubectl run hello --image=any --restart=Never --command -- sh -c 'echo hello'",
  )
}

/** Ends the command immediately after a second signal. */
function leaveAtOnce(keeper: HomeKeeper, { exitCode }: Interrupted): void {
  keeper.removeAtOnce()
  process.exit(exitCode)
}
