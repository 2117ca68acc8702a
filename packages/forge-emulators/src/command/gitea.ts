// `dayfly emulate gitea`: serves an emulated Gitea or Forgejo, and queues the jobs of workflow files.
import { CliFailure } from '@dayfly/command-line/failure'
import { printJson, printLine, printNote } from '@dayfly/command-line/output'
import { httpClient } from '@dayfly/kit/http-client'
import { systemClock, systemRandom } from '@dayfly/kit/system'
import { ExpressionFailure } from '../expression.ts'
import type { DialectName } from '../gitea/dialect.ts'
import { createGiteaEmulator, type GiteaEmulator } from '../gitea/emulator.ts'
import { hexToken } from '../gitea/random-text.ts'
import { MatrixError } from '../workflow/matrix.ts'
import { type Input, readInput } from './input.ts'
import { certificateFor, curlCommand, type ServeOptions, serveUntilInterrupted, writePrivately } from './serve.ts'

export type GiteaOptions = ServeOptions & {
  readonly repository?: string
  readonly dialect?: DialectName
  readonly tokenFile?: string
}

const defaultRepository = 'my-org/my-repository'

export async function emulateGitea(files: readonly string[], options: GiteaOptions): Promise<void> {
  const { repository = defaultRepository, latency: latencyMs, dialect } = options
  const [owner = '', name = ''] = repository.split('/')
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository) || owner === 'admin') {
    throw new CliFailure({
      code: 'option-unsuitable',
      sentence: `--repository ${repository} is not a repository of an organization.`,
      next: `Write both names, for example ${defaultRepository}.`,
    })
  }
  const inputs = await readInput(files, process.env['PATH'] ?? '')
  const [clock, random] = [systemClock(), systemRandom()]
  const token = hexToken(random)
  const tls = await certificateFor(options, clock)
  if (options.tokenFile !== undefined) await writePrivately(options.tokenFile, token)
  const client = httpClient()
  const emulator = createGiteaEmulator({
    clock,
    random,
    owners: [{ name: owner, kind: 'organization', repositories: [name] }],
    credentials: [{ token, user: 'admin', scopes: ['all'], isSiteAdmin: true }],
    knobs: { latencyMs, dialect },
    deliver: client.transport,
    tls,
  })
  await serveUntilInterrupted(emulator, options.port, async (origin) => {
    printAddresses({ url: origin, owner, repository, token }, options)
    emulator.control.onJob(({ kind, name: job, runner, result }) => {
      if (kind === 'finished') printNote(`${result} ${job}`)
      else printNote(`${kind} ${job}${runner ? ` on ${runner}` : ''}`)
    })
    for (const input of inputs) runInput(emulator, input, repository)
    return client.close
  })
}

/** Starts the workflow, and prints how it ended. */
function runInput({ control }: GiteaEmulator, { workflow, checkout }: Input, repository: string): void {
  try {
    const { done } = control.runWorkflow(workflow, { repository, checkout })
    void done.then((result) => printNote(`${result} ${workflow.name} (${workflow.file})`))
  } catch (error) {
    if (!(error instanceof ExpressionFailure) && !(error instanceof MatrixError)) throw error
    printNote(`failure ${workflow.name} (${workflow.file}): ${error.message}`)
  }
}

type Printed = Readonly<Record<'url' | 'owner' | 'repository' | 'token', string>>

function printAddresses({ url, owner, repository, token }: Printed, options: GiteaOptions): void {
  const api = `${url}/api/v1/orgs/${owner}/actions`
  const control = `${url}/_emulator`
  const urls = { runnersUrl: `${api}/runners`, jobsUrl: `${control}/jobs`, workflowsUrl: `${control}/workflows` }
  if (options.json) {
    printJson({ url, organizationUrl: `${url}/${owner}`, repository, ...urls, token })
    return
  }
  const curl = curlCommand(options)
  printLine(`The emulated Gitea listens on ${url}. Press Ctrl-C to stop it.\n`)
  printLine(`  organization  ${url}/${owner}, with the repository ${repository}`)
  printLine(`  token         ${token} of a site administrator, with all scopes`)
  if (options.tls) printLine(`  certificate   ${options.tls}`)
  printLine(`\nList runners:   ${curl} -H 'Authorization: token ${token}' ${urls.runnersUrl}`)
  printLine(`Start a runner: ${curl} -X POST ${control}/runners/NAME/online`)
  printLine(`Queue jobs:     ${curl} -d '{"count": 3, "labels": ["linux"]}' ${urls.jobsUrl}`)
  printLine(`Run a file:     ${curl} --data-binary @ci.yml ${urls.workflowsUrl}`)
  printLine(`Show state:     ${curl} ${control}/state`)
}
