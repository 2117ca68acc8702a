// `dayfly emulate bitbucket`: serves an emulated Bitbucket workspace, and runs the pipelines of files on real runners or on those of the user.
import { printJson, printLine, printNote } from '@dayfly/command-line/output'
import { randomName } from '@dayfly/kit/ids'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import { type BitbucketEmulator, createBitbucketEmulator } from '../bitbucket/emulator.ts'
import { type PipelineInput, readPipelines, runnerProgram } from './input.ts'
import { startRunners } from './runner-processes.ts'
import { certificateFor, curlCommand, type ServeOptions, serveUntilInterrupted } from './serve.ts'
import { stepEnvironment } from './step-environment.ts'

const workspace = 'my-workspace'
const repository = 'my-repository'
const email = 'me@example.com'

export type BitbucketOptions = ServeOptions & { readonly pipeline?: string; readonly runners?: number }

/** The interval of the runners that this command starts. Bitbucket's 30 s would only delay a local run. */
const pickUpMs = 1_000

export async function emulateBitbucket(files: readonly string[], options: BitbucketOptions): Promise<void> {
  const searchPath = process.env['PATH'] ?? ''
  const inputs = await readPipelines(files, searchPath, options.pipeline)
  const program = options.runners === undefined ? undefined : runnerProgram()
  const clock = systemClock()
  const random = systemRandom()
  const key = randomName(random, 18)
  const secret = randomName(random, 32)
  const apiToken = randomName(random, 48)
  const accessToken = randomName(random, 48)
  const tls = await certificateFor(options, clock)
  const emulator = createBitbucketEmulator({
    clock,
    random,
    workspaces: [{ slug: workspace, repositories: [repository] }],
    credentials: [
      { kind: 'consumer', key, secret },
      { kind: 'api-token', email, token: apiToken },
      { kind: 'access-token', token: accessToken },
    ],
    knobs: {
      latencyMs: options.latency,
      // A pipeline of a file waits for its first runner.
      noRunner: files.length > 0 ? 'queue' : undefined,
      pickUpMs: program === undefined ? undefined : pickUpMs,
    },
    tls,
  })
  await serveUntilInterrupted(emulator, options.port, async (origin) => {
    print({ url: origin, key, secret, apiToken, accessToken }, options)
    showSteps(emulator)
    for (const input of inputs) runInput(emulator, input)
    if (program === undefined || options.runners === undefined) return undefined
    return startRunners({
      emulator,
      clock,
      origin,
      workspace,
      accessToken,
      count: options.runners,
      program,
      environment: stepEnvironment(process.env),
      onLost: (name, end) => printNote(`${name} ended by itself with ${end}`),
    })
  })
}

function showSteps({ control }: BitbucketEmulator): void {
  control.onStep(({ kind, id, name, runner, result }) => {
    const step = name === undefined ? `step ${id}` : `step ${name}`
    if (kind !== 'finished') return printNote(`${kind} ${step}${runner ? ` on ${runner}` : ''}`)
    printNote(`${result} ${step}`)
    const { log, reason } = control.step(id) ?? {}
    if (result === 'SUCCESSFUL' || !log) return
    for (const line of log.lines.slice(-shownLines)) printNote(`  ${line}`)
    if (reason !== undefined && log.lines.at(-1) !== reason) printNote(`  ${reason}`)
  })
}

/** The lines of a failed step that the command prints. */
const shownLines = 20

/** Starts the pipeline. Prints its notes, and how it ended. */
function runInput({ control }: BitbucketEmulator, { pipeline, source }: PipelineInput): void {
  const title = `pipeline ${pipeline.selector} (${pipeline.file})`
  for (const note of pipeline.notes) printNote(`${pipeline.file}: ${note}`)
  const { done } = control.runPipeline(pipeline, { repository, labels: ['self.hosted', 'linux'], source })
  void done.then(({ result }) => printNote(`${result} ${title}`))
}

type Printed = Readonly<Record<'url' | 'key' | 'secret' | 'apiToken' | 'accessToken', string>>

function print({ url, key, secret, apiToken, accessToken }: Printed, options: ServeOptions): void {
  const workspaceUrl = `${url}/${workspace}`
  const runnersUrl = `${url}/2.0/workspaces/${workspace}/pipelines-config/runners`
  const stepsUrl = `${url}/_emulator/steps`
  const pipelinesUrl = `${url}/_emulator/pipelines`
  if (options.json) {
    const urls = { url, workspaceUrl, runnersUrl, stepsUrl, pipelinesUrl }
    printJson({ ...urls, repository, key, secret, email, apiToken, accessToken })
    return
  }
  const curl = curlCommand(options)
  printLine(`The emulated Bitbucket listens on ${url}. Press Ctrl-C to stop it.\n`)
  printLine(`  workspace       ${workspaceUrl}, with the repository ${repository}`)
  printLine(`  OAuth consumer  ${key} with the secret ${secret}`)
  printLine(`  API token       ${apiToken} of ${email}`)
  printLine(`  access token    ${accessToken}`)
  if (options.tls) printLine(`  certificate     ${options.tls}`)
  printLine(`\nList runners:   ${curl} -H 'Authorization: Bearer ${accessToken}' ${runnersUrl}`)
  printLine(`Start a runner: ${curl} -X POST ${url}/_emulator/runners/NAME/online`)
  printLine(`Queue steps:    ${curl} -d '{"labels": ["linux"], "durationMs": 10000}' ${stepsUrl}`)
  printLine(`Run a file:     ${curl} --data-binary @bitbucket-pipelines.yml ${pipelinesUrl}`)
  printLine(`Show state:     ${curl} ${url}/_emulator/state`)
}
