// `dayfly emulate github`: serves an emulated GitHub, and queues the jobs of workflow files.
import { generateKeyPairSync } from 'node:crypto'
import { basename } from 'node:path'
import { printJson, printLine, printNote } from '@dayfly/command-line/output'
import { randomName } from '@dayfly/kit/ids'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import type { EmulatedApp } from '../github/apps.ts'
import type { Outage } from '../github/config.ts'
import { createGitHubEmulator, type GitHubEmulator } from '../github/emulator.ts'
import { runFacts } from '../workflow/facts.ts'
import { feedRun } from '../workflow/feed.ts'
import { createRun } from '../workflow/run.ts'
import { type Input, readInput } from './input.ts'
import { certificateFor, curlCommand, type ServeOptions, serveUntilInterrupted, writePrivately } from './serve.ts'

export type GitHubOptions = ServeOptions & {
  readonly ghes?: true
  readonly app?: string
  readonly outage?: Outage
  readonly tokenFile?: string
}

export async function emulateGitHub(files: readonly string[], options: GitHubOptions): Promise<void> {
  const inputs = await readInput(files, process.env['PATH'] ?? '')
  const random = systemRandom()
  const token = `ghp_${randomName(random, 36)}`
  const { latency: latencyMs } = options
  const clock = systemClock()
  const tls = await certificateFor(options, clock)
  const app = options.app === undefined ? undefined : createApp()
  if (app && options.app) await writePrivately(options.app, app.privateKey)
  if (options.tokenFile !== undefined) await writePrivately(options.tokenFile, token)
  const { outage } = options
  const dialect = options.ghes ? ({ mode: 'legacy', servicePath: '/_services/pipelines' } as const) : {}
  const knobs = { ...dialect, outage }
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
    return undefined
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

function printAddresses(url: string, token: string, app: PrintedApp | undefined, options: GitHubOptions): void {
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
  const curl = curlCommand(options)
  printLine(`\nQueue jobs:    ${curl} -d '{"count": 3, "labels": ["linux"]}' ${jobsUrl}`)
  printLine(`Show state:    ${curl} ${url}/_emulator/state`)
  if (options.outage === undefined) return
  const put = `${curl} -X PUT -d '{"outage": "none"}'`
  printLine(`End outage:    ${put} ${url}/_emulator/knobs`)
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
