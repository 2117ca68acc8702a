// `dayfly emulate github`: a GitHub on this machine, for people who have no forge and for tests of other autoscalers.
import { basename } from 'node:path'
import { Argument, Command } from 'commander'
import { createGitHubEmulator, type GitHubEmulator } from '../emulator/github/emulator.ts'
import { runFacts } from '../emulator/workflow/facts.ts'
import { feedRun } from '../emulator/workflow/feed.ts'
import { createRun } from '../emulator/workflow/run.ts'
import type { HttpServer } from '../lib/http-server.ts'
import { randomName } from '../lib/ids.ts'
import { systemClock, systemRandom } from '../lib/system.ts'
import { type Input, readInput, wholeNumber } from './demo/input.ts'
import { CliFailure } from './failure.ts'
import { printJson, printLine, printNote } from './output.ts'

type Options = { readonly port: number; readonly latency: number; readonly json?: true }

export function emulateCommand(): Command {
  return new Command('emulate')
    .description(
      'Serves an emulated forge on 127.0.0.1 until it is interrupted. Workflow files are queued as jobs at once.',
    )
    .addArgument(new Argument('<forge>', 'which forge').choices(['github']))
    .argument('[workflow.yml...]', 'workflow files to run, once each')
    .option('--port <number>', 'where to listen; 0 takes a free port', wholeNumber('--port', 0, 65_535), 0)
    .option('--latency <ms>', 'added to every request', wholeNumber('--latency', 0, 60_000), 0)
    .option('--json', 'print one JSON line with the addresses and the token')
    .action((_forge: string, files: readonly string[], options: Options) => emulateGitHub(files, options))
}

async function emulateGitHub(files: readonly string[], options: Options): Promise<void> {
  const inputs = await readInput(files, process.env['PATH'] ?? '')
  const random = systemRandom()
  const token = `ghp_${randomName(random, 36)}`
  const { latency: latencyMs } = options
  const emulator = createGitHubEmulator({ clock: systemClock(), random, latencyMs, tokens: [token] })
  const interruption = interrupted()
  const server = await listen(emulator, options.port)
  try {
    tellAddresses(server.origin, token, options)
    emulator.control.onJob(({ kind, name, runner, result }) => {
      if (kind === 'queued' || kind === 'started') printNote(`${kind} ${name}${runner ? ` on ${runner}` : ''}`)
      if (kind === 'finished') printNote(`${result} ${name}`)
    })
    inputs.forEach((input, index) => {
      runWorkflow(emulator, input, index + 1)
    })
    await interruption
  } finally {
    await server.close()
  }
}

async function listen(emulator: GitHubEmulator, port: number): Promise<HttpServer> {
  try {
    return await emulator.listen(port)
  } catch (cause) {
    throw new CliFailure({
      code: 'port-unusable',
      sentence: `127.0.0.1:${port} cannot be listened on (${(cause as NodeJS.ErrnoException).code ?? 'unknown cause'}).`,
      next: 'Choose another --port, or leave it out for a free one.',
      exitCode: 1,
      cause,
    })
  }
}

function tellAddresses(url: string, token: string, options: Options): void {
  const configUrl = `${url}/my-org`
  const jobsUrl = `${url}/_emulator/jobs`
  if (options.json) {
    printJson({ url, configUrl, token, jobsUrl })
    return
  }
  printLine(`An emulated GitHub listens on ${url} until Ctrl-C.\n`)
  printLine(`  config URL   ${configUrl}\n  token        ${token}\n`)
  printLine(`Queue jobs:    curl -d '{"count": 3, "labels": ["linux"]}' ${jobsUrl}`)
  printLine(`Look inside:   curl ${url}/_emulator/state`)
}

/** Queues the workflow's jobs as they become due; says how the run ended. */
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

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
}
