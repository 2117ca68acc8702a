// Follows docs/guide/gitea.md as a reader does: a real Gitea and a cluster in two terminals that stay open, and a third one for all other commands.
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isJsonObject } from '@dayfly/kit/read-json'
import { runnerSetApiVersion } from '@dayfly/runner-set/model/api'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { buildGitea } from '../../scripts/gitea/build.ts'
import { until } from '../cli.ts'
import { giteaPage, guideSteps } from '../dayfly/guide-pages.ts'
import { jobEnded, openTerminal, pressCtrlC, provideTools, type Terminal } from './guide-terminals.ts'
import { comparable } from './node/guide-output.ts'
import { createShell } from './node/guide-shell.ts'

const steps = guideSteps(giteaPage)
const isTerminal = (text: string) => text.startsWith('npx')
/** The rest of the page needs the controller. */
const isEnd = (text: string) => text.includes('helm uninstall')
const ordered = [
  ...steps.filter(({ block }) => !isTerminal(block.text) && !isEnd(block.text)),
  ...steps.filter(({ block }) => isEnd(block.text)),
]

let obstacle: string | undefined
const shell = createShell('', '')
const terminals: Terminal[] = []
/** The variables of the page with the address and the token of this server. */
let own: Readonly<Record<string, string>> = {}

beforeAll(async () => {
  const gitea = await buildGitea(new AbortController().signal)
  obstacle = gitea.is === 'missing' ? gitea.why : await provideTools(shell)
})
afterAll(async () => {
  for (const terminal of terminals) await pressCtrlC(terminal, 'SIGKILL')
  shell.close()
})

/** Runs commands of the third terminal, which must succeed. */
async function run(text: string): Promise<string> {
  const { code, stdout, stderr } = await shell.run(text, own)
  expect(code, `ended with ${code}:\n${stdout}${stderr}`).toBe(0)
  return stdout
}

it('opens two terminals', async (context) => {
  if (obstacle) return context.skip(obstacle)
  for (const { block } of steps) if (isTerminal(block.text)) terminals.push(openTerminal(shell, block.text))
  const [gitea, cluster] = terminals
  const [, url = '', token = ''] = await until('Gitea serves', 60_000, () =>
    /serves (http:\S+) until[\s\S]* {2}token +(\w+) /.exec(gitea?.output() ?? ''),
  )
  await until('the cluster serves', 60_000, () => cluster?.output().includes('export KUBECONFIG='))
  const file = path.join(shell.folder, 'token-of-the-server')
  writeFileSync(file, token)
  const files = { GITEA_TOKEN_FILE: file, WEBHOOK_SECRET_FILE: file }
  own = { GITEA: url, GITEA_TOKEN: token, GITEA_URL: `${url}/acme`, ...files }
})

for (const step of ordered) {
  const { text, line } = step.block
  it(`line ${line}: ${text.split('\n')[0]}`, async (context) => {
    if (obstacle) return context.skip(obstacle)
    if (step.does === 'apply') return await accept(parse(text))
    // A reader looks back when the job has ended.
    if (/\bexplain job/.test(text)) await jobEnded(shell, 'greet')
    const printed = await run(text)
    if (step.output) expect(comparable(printed)).toBe(comparable(step.output.text))
  })
}

it('leaves nothing when both terminals end', async (context) => {
  if (obstacle) return context.skip(obstacle)
  for (const terminal of terminals) await pressCtrlC(terminal, 'SIGINT')
  const answers = async () => (await fetch(`${own['GITEA']}/api/healthz`).catch(() => undefined)) !== undefined
  await until('Gitea is gone', 30_000, async () => !(await answers()))
  await until('the cluster removes its file', 10_000, () => !existsSync(path.join(shell.folder, 'kubeconfig')))
})

/** Creates a set with a part of a spec, and waits until its template is accepted. */
async function accept(document: unknown): Promise<void> {
  const part = isJsonObject(document) && isJsonObject(document['spec']) ? document['spec'] : {}
  const metadata = { name: 'from-the-guide', namespace: 'ci' }
  const set = { apiVersion: runnerSetApiVersion, kind: 'RunnerSet', metadata, spec: { scale: { max: 1 }, ...part } }
  writeFileSync(path.join(shell.folder, 'from-the-guide.yaml'), stringify(set))
  await run('kubectl apply -f from-the-guide.yaml')
  await run('kubectl -n ci wait runnerset from-the-guide --for=condition=TemplateAccepted --timeout=60s')
  await run('kubectl -n ci delete runnerset from-the-guide')
}
