// `dayfly cluster`: runs only the embedded cluster, for kubectl and other controllers.
import { accessSync, constants, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { CliFailure, codeOf, describeFailure } from '@dayfly/command-line/failure'
import { listenForInterruption } from '@dayfly/command-line/interruption'
import { wholeNumber } from '@dayfly/command-line/option-values'
import { printJson, printLine, printNote } from '@dayfly/command-line/output'
import { listenOn } from '@dayfly/command-line/port'
import { aborted } from '@dayfly/kit/signals'
import { stackOf } from '@dayfly/kit/stack-of'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import { Command, Option } from 'commander'
import type { Profile } from '../api/api.ts'
import { type Cluster, createCluster } from '../cluster.ts'
import { findMountNamespaces } from '../runtime/process/mounts.ts'
import { createProcessRuntime, type ProcessRuntimeOptions } from '../runtime/process/process-runtime.ts'
import type { Endpoint } from '../wire/endpoint.ts'
import { kubeconfigText } from '../wire/kubeconfig.ts'
import { type ClusterData, type Identity, newIdentity, openData } from './cluster-data.ts'
import { endAbandoned, type HomeKeeper, homeKeeper, removeHome } from './home.ts'

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
  dayfly cluster --data-dir ./data                   keep objects and containers for the next start
  dayfly cluster --image tool:1=/usr/bin/tool        run /usr/bin/tool for the image tool:1`

const noMounts =
  'This host allows no mount namespaces (unshare --mount). Containers find their volumes below $DAYFLY_ROOT, not at their absolute paths.'

type Images = ProcessRuntimeOptions['images']

/** @param known returns the images that have a program without `--image` */
export function clusterCommand(known: () => Images = () => ({})): Command {
  return new Command('cluster')
    .description(
      'Runs a Kubernetes cluster with one node on 127.0.0.1 until you press Ctrl-C.\nContainers are processes of this machine. They are not isolated.',
    )
    .option('--port <number>', 'port of the API server; 0 means any free port', wholeNumber('--port', 0, 65_535), 0)
    .option('--kubeconfig <file>', 'file to write the kubeconfig to (default: a temporary file)')
    .addOption(new Option('--profile <version>', 'Kubernetes version to behave like').choices(profiles).default('1.36'))
    .option(
      '--data-dir <directory>',
      'directory that keeps objects and containers (default: they end with the command)',
    )
    .addOption(
      new Option(
        '--image <name=program>',
        'run this program of the machine for an image; a name without a tag stands for each tag; may be repeated',
      ).argParser((value: string, before: readonly string[] = []) => [...before, value]),
    )
    .option('--json', 'print the URL and the path of the kubeconfig as one line of JSON')
    .addHelpText('after', examples)
    .action((options: Options) => runCluster(options, { ...known(), ...imagesOf(options.image) }))
}

async function runCluster(options: Options, images: Images): Promise<void> {
  const [clock, random] = [systemClock(), systemRandom()]
  await endAbandoned(clock)
  const keeper = homeKeeper(clock)
  const { dataDir } = options
  // The containers of a data directory are not in the home, so only the home is removed.
  const removeAtOnce = () => (dataDir === undefined ? keeper.removeAtOnce() : removeHome(keeper.home))
  const interruption = listenForInterruption(({ exitCode }) => {
    removeAtOnce()
    process.exit(exitCode)
  })
  const fail = (failure: CliFailure): never => {
    printNote(describeFailure(failure, Boolean(process.env['DAYFLY_DEBUG'])))
    removeAtOnce()
    process.exit(failure.exitCode)
  }
  try {
    const data = dataDir === undefined ? undefined : await openData(dataDir, { clock, random }, fail)
    try {
      const identity = data?.identity ?? newIdentity(clock, random)
      await serve({ ...options, images, data, identity }, keeper, interruption.signal)
    } finally {
      await data?.journal.close()
    }
  } finally {
    await keeper.remove()
    interruption.release()
  }
}

type Served = Options & {
  readonly images: Images
  readonly data: ClusterData | undefined
  readonly identity: Identity
}

async function serve(options: Served, { home }: HomeKeeper, until: AbortSignal): Promise<void> {
  const clock = systemClock()
  const { data, identity } = options
  const { token } = identity
  const namespaces = findMountNamespaces()
  const runtime = createProcessRuntime({
    dataDirectory: data?.containers ?? home.cluster,
    keeps: data !== undefined,
    clock,
    environment: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
    images: options.images,
    namespaces,
  })
  const cluster = createCluster({
    clock,
    random: systemRandom(),
    runtime,
    profile: options.profile,
    data: data?.journal,
    identity,
    users: new Map([[token, user]]),
    onError: (error) => printNote(`the API server failed: ${stackOf(error)}`),
  })
  const kubeconfig = resolve(options.kubeconfig ?? home.kubeconfig)
  let written = false
  try {
    const endpoint = await listen(cluster, options)
    writeKubeconfig(kubeconfig, kubeconfigText({ server: endpoint.origin, ca: endpoint.ca, user, token }))
    written = true
    printAccess(endpoint.origin, kubeconfig, options)
    if (namespaces === undefined) printNote(noMounts)
    await aborted(until)
  } finally {
    const left = data === undefined ? 0 : runtime.containers().length
    await cluster.stop()
    if (left > 0) printNote(leftRunning(left))
    if (written) rmSync(kubeconfig, { force: true })
  }
}

/** Listens on the port of the last run if it is free, because containers that still run know it. */
async function listen(cluster: Cluster, { port, data }: Served): Promise<Endpoint> {
  const last = port === 0 ? data?.lastPort() : undefined
  const again = last === undefined ? undefined : await cluster.listen(last).catch(() => undefined)
  const endpoint = again ?? (await listenOn(cluster, port, 'The cluster'))
  data?.keepPort(endpoint.port)
  return endpoint
}

function leftRunning(count: number): string {
  const words = count === 1 ? '1 container keeps' : `${count} containers keep`
  return `${words} running. The next start with the same --data-dir takes over. To end containers, delete their pods.`
}

/** Reads `NAME=PROGRAM`. The program must be an absolute path: containers have other working directories. */
function imagesOf(given: readonly string[] = []): Images {
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
