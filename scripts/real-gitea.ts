// Starts a real Gitea server to try Dayfly on: npx tsx scripts/real-gitea.ts [--ini section.KEY=value]… [--log FILE] [--help].
// It is built from its Go module, listens on 127.0.0.1, and is removed with everything at the end. The exit code is 3 if it cannot be built.
import { copyFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { numberAt } from '@dayfly/kit/read-json'
import { onInterruption } from './control-plane/run-beside.ts'
import { buildGitea, giteaVersion } from './gitea/build.ts'
import { giteaClient } from './gitea/client.ts'
import { readSetting, type Setting } from './gitea/settings.ts'
import { type GiteaServer, startGitea } from './gitea/start.ts'

const help = `Starts a real Gitea ${giteaVersion} on 127.0.0.1, with an administrator, an organization and a repository with a workflow.
It needs Linux, git, gcc and Go, and builds the server the first time, which takes minutes. Ctrl-C ends it and removes everything.

usage: npx tsx scripts/real-gitea.ts [OPTION…]

  --ini section.KEY=value   adds a setting of app.ini, repeatable; for example --ini actions.ZOMBIE_TASK_TIMEOUT=3s
  --log FILE                copies the server's log to a file at the end
  --help                    prints this text
`
const organization = 'acme'
const repository = 'app'
const label = 'dayfly'
const workflow = `on: [push, workflow_dispatch]
jobs:
  greet:
    runs-on: ${label}
    steps:
      - run: echo hello
`

const signal = onInterruption()
process.exitCode = await main().catch((error: unknown) => {
  if (signal.aborted) return 130
  process.stderr.write(`real Gitea: ${error instanceof Error ? error.message : String(error)}\n`)
  return 1
})

async function main(): Promise<number> {
  const options = {
    ini: { type: 'string', multiple: true },
    log: { type: 'string' },
    help: { type: 'boolean', default: false },
  } as const
  const { ini = [], log, help: wantsHelp } = parseArgs({ options }).values
  if (wantsHelp) {
    process.stdout.write(help)
    return 0
  }
  const settings = ini.map(settingOf)
  const built = await buildGitea(signal)
  if (built.is === 'missing') {
    process.stderr.write(`real Gitea: ${built.why}\n`)
    return 3
  }
  const server = await startGitea(built, signal, { settings })
  try {
    await fill(server)
    process.stdout.write(describe(server))
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return 0
  } finally {
    await server.stop('SIGTERM')
    if (log !== undefined) await copyFile(server.logFile, log)
    await server.close()
  }
}

function settingOf(text: string): Setting {
  const setting = readSetting(text)
  if (!setting) throw new Error(`--ini ${text} is not of the form section.KEY=value`)
  return setting
}

/** Creates the organization and its repository, whose push queues the first job. Resolves when the job waits. */
async function fill({ url, admin }: GiteaServer): Promise<void> {
  const { must } = giteaClient(url, `token ${admin.token}`)
  await must('POST', '/orgs', { username: organization })
  await must('POST', `/orgs/${organization}/repos`, { name: repository, auto_init: true, default_branch: 'main' })
  const content = Buffer.from(workflow).toString('base64')
  const file = `/repos/${organization}/${repository}/contents/.gitea/workflows/greet.yml`
  await must('POST', file, { content, message: 'Greet', branch: 'main' })
  const jobs = `/repos/${organization}/${repository}/actions/jobs`
  while (numberAt(await must('GET', jobs), 'total_count') !== 1) await sleep(100, undefined, { signal })
}

function describe({ url, admin }: GiteaServer): string {
  const runs = `${url}/api/v1/repos/${organization}/${repository}/actions`
  const authorization = `-H 'Authorization: token ${admin.token}'`
  return `Gitea ${giteaVersion} serves ${url} until Ctrl-C. Its pages have no style, because its module lacks the built front end.

  user       ${admin.name}
  password   ${admin.password}
  token      ${admin.token}   (all scopes)
  repository ${organization}/${repository}, with one job that waits for the label ${label}

Show the jobs:
  curl -s ${authorization} ${runs}/jobs
Queue another one:
  curl -s ${authorization} -H 'Content-Type: application/json' -d '{"ref":"main"}' ${runs}/workflows/greet.yml/dispatches
Get a registration token for runners of the organization:
  curl -s ${authorization} -X POST ${url}/api/v1/orgs/${organization}/actions/runners/registration-token
`
}
