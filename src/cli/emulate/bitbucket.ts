// `dayfly emulate bitbucket`: serves an emulated Bitbucket workspace whose runners are controlled by calls.
import { createBitbucketEmulator } from '../../emulator/bitbucket/emulator.ts'
import { randomName } from '../../lib/ids.ts'
import { systemClock, systemRandom } from '../../lib/system.ts'
import { printJson, printLine, printNote } from '../output.ts'
import { certificateFor, curlCommand, type ServeOptions, serveUntilInterrupted } from './serve.ts'

const workspace = 'my-workspace'
const repository = 'my-repository'
const email = 'me@example.com'

export async function emulateBitbucket(options: ServeOptions): Promise<void> {
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
    knobs: { latencyMs: options.latency },
    tls,
  })
  await serveUntilInterrupted(emulator, options.port, (url) => {
    print({ url, key, secret, apiToken, accessToken }, options)
    emulator.control.onStep(({ kind, id, runner, result }) => {
      if (kind === 'finished') printNote(`${result} step ${id}`)
      else printNote(`${kind} step ${id}${runner ? ` on ${runner}` : ''}`)
    })
  })
}

type Printed = Readonly<Record<'url' | 'key' | 'secret' | 'apiToken' | 'accessToken', string>>

function print({ url, key, secret, apiToken, accessToken }: Printed, options: ServeOptions): void {
  const workspaceUrl = `${url}/${workspace}`
  const runnersUrl = `${url}/2.0/workspaces/${workspace}/pipelines-config/runners`
  const stepsUrl = `${url}/_emulator/steps`
  if (options.json) {
    printJson({ url, workspaceUrl, runnersUrl, stepsUrl, repository, key, secret, email, apiToken, accessToken })
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
  printLine(`Show state:     ${curl} ${url}/_emulator/state`)
}
