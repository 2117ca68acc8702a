// `dayfly emulate`: serves an emulated forge on this machine, for tests without a real forge and for other autoscalers.
import { generateKeyPairSync } from 'node:crypto'
import { basename } from 'node:path'
import { Argument, Command } from 'commander'
import { selfSignedCertificate } from '../embedded/wire/certificate.ts'
import type { EmulatedApp } from '../emulator/github/apps.ts'
import { createGitHubEmulator, type GitHubEmulator } from '../emulator/github/emulator.ts'
import { runFacts } from '../emulator/workflow/facts.ts'
import { feedRun } from '../emulator/workflow/feed.ts'
import { createRun } from '../emulator/workflow/run.ts'
import { randomName } from '../lib/ids.ts'
import { systemClock, systemRandom } from '../lib/system.ts'
import { type Input, readInput, wholeNumber } from './demo/input.ts'
import { emulateBitbucket } from './emulate/bitbucket.ts'
import { type ServeOptions, serveUntilInterrupted, writePrivately } from './emulate/serve.ts'
import { CliFailure } from './failure.ts'
import { printJson, printLine, printNote } from './output.ts'

type Options = ServeOptions & { readonly ghes?: true; readonly app?: string }

const examples = `
Examples:
  dayfly emulate github                              print the addresses and a token
  dayfly emulate github .github/workflows/ci.yml     queue the jobs of a workflow
  dayfly emulate github --port 8080 --latency 150    use a fixed port and slow answers
  dayfly emulate github --tls ca.crt --app app.pem   serve over TLS, and accept an App
  dayfly emulate bitbucket                           emulate a Bitbucket workspace with runners and steps`

export function emulateCommand(): Command {
  return new Command('emulate')
    .description(
      'Serves an emulated forge on 127.0.0.1 until you press Ctrl-C. The emulated GitHub queues the jobs of the given workflow files immediately.',
    )
    .addArgument(new Argument('<forge>', 'forge to emulate').choices(['github', 'bitbucket']))
    .argument('[workflow.yml...]', 'workflow files to run once (GitHub)')
    .option('--port <number>', 'port to listen on; 0 means any free port', wholeNumber('--port', 0, 65_535), 0)
    .option('--latency <ms>', 'delay of every answer, in milliseconds', wholeNumber('--latency', 0, 60_000), 0)
    .option(
      '--ghes',
      'behave as a GitHub Enterprise Server: its paths, and jobs that are offered before they are assigned',
    )
    .option('--tls <file>', 'serve over TLS, and write the certificate that clients must trust to this file')
    .option('--app <file>', 'emulate a GitHub App, and write its private key to this file')
    .option('--json', 'print the addresses and the token as one line of JSON')
    .addHelpText('after', examples)
    .action((forge: string, files: readonly string[], options: Options) =>
      forge === 'github' ? emulateGitHub(files, options) : emulateBitbucket(refuseForGitHub(files, options)),
    )
}

/** Returns the options that Bitbucket's emulator has. */
function refuseForGitHub(files: readonly string[], { ghes, app, ...options }: Options): ServeOptions {
  const given = [files.length > 0 && 'Workflow files', ghes && '--ghes', app !== undefined && '--app']
  const [first] = given.filter((each) => typeof each === 'string')
  if (first === undefined) return options
  throw new CliFailure({
    code: 'option-unsuitable',
    sentence: `${first} ${first.startsWith('--') ? 'is' : 'are'} for the emulated GitHub only.`,
    next: 'Omit this argument. Queue steps with the address that the command prints.',
  })
}

async function emulateGitHub(files: readonly string[], options: Options): Promise<void> {
  const inputs = await readInput(files, process.env['PATH'] ?? '')
  const random = systemRandom()
  const token = `ghp_${randomName(random, 36)}`
  const { latency: latencyMs } = options
  const clock = systemClock()
  const tls = options.tls === undefined ? undefined : selfSignedCertificate(clock.now())
  const app = options.app === undefined ? undefined : createApp()
  if (tls && options.tls) await writePrivately(options.tls, tls.cert)
  if (app && options.app) await writePrivately(options.app, app.privateKey)
  const knobs = options.ghes ? ({ mode: 'legacy', servicePath: '/_services/pipelines' } as const) : {}
  const apps = app ? [app] : []
  const emulator = createGitHubEmulator({ clock, random, latencyMs, tokens: [token], knobs, apps, tls })
  await serveUntilInterrupted(emulator, options.port, (origin) => {
    printAddresses(origin, token, app, options)
    emulator.control.onJob(({ kind, name, runner, result }) => {
      if (kind === 'queued' || kind === 'started') printNote(`${kind} ${name}${runner ? ` on ${runner}` : ''}`)
      if (kind === 'finished') printNote(`${result} ${name}`)
    })
    inputs.forEach((input, index) => {
      runWorkflow(emulator, input, index + 1)
    })
  })
}

type PrintedApp = EmulatedApp & { readonly privateKey: string }

const account = 'my-org'

/** The App is installed at the organization of the printed config URL. */
function createApp(): PrintedApp {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  })
  return { id: 1, clientId: 'Iv1.emulated', publicKey, privateKey, installations: [{ id: 10, account }] }
}

function printAddresses(url: string, token: string, app: PrintedApp | undefined, options: Options): void {
  const configUrl = `${url}/${account}`
  const jobsUrl = `${url}/_emulator/jobs`
  const appId = app?.id
  const installationId = app?.installations[0]?.id
  if (options.json) {
    printJson({ url, configUrl, token, jobsUrl, ...(app ? { appId, installationId } : {}) })
    return
  }
  printLine(`The emulated GitHub listens on ${url}. Press Ctrl-C to stop it.\n`)
  printLine(`  config URL   ${configUrl}\n  token        ${token}`)
  if (app) printLine(`  App          ${appId}, installation ${installationId}, private key in ${options.app}`)
  if (options.tls) printLine(`  certificate  ${options.tls}`)
  const curl = options.tls ? `curl --cacert ${options.tls}` : 'curl'
  printLine(`\nQueue jobs:    ${curl} -d '{"count": 3, "labels": ["linux"]}' ${jobsUrl}`)
  printLine(`Show state:    ${curl} ${url}/_emulator/state`)
}

/** Queues each job of the workflow when its needs are met. Prints how the run ended. */
function runWorkflow({ control }: GitHubEmulator, { workflow, checkout }: Input, runId: number): void {
  const facts = runFacts(workflow, checkout, runId)
  const [owner, repository] = String(facts.contexts.github['repository']).split('/')
  const common = { runId, owner, repository, workflow: basename(workflow.file) }
  const { done } = feedRun(createRun(workflow, facts), {
    queue: ({ labels, name, message }) => control.queueJobs([{ ...common, labels, name, message }])[0]?.id ?? '',
    cancel: (id) => void control.cancel(id),
    onFinished: (listener) => control.onJob(({ id, report }) => report && listener(id, report)),
  })
  void done.then(({ conclusion }) => printNote(`${conclusion} ${workflow.name} (${workflow.file})`))
}
