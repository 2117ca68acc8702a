// Follows docs/guide/try-without-a-cluster.md as a reader does: two terminals that stay open, and a third one for all other commands.
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../cli.ts'
import { guideSteps, localPage } from '../dayfly/guide-pages.ts'
import { binOf, jobEnded, openTerminal, pressCtrlC, provideTools, type Terminal } from './guide-terminals.ts'
import { comparable } from './node/guide-output.ts'
import { createShell } from './node/guide-shell.ts'

const steps = guideSteps(localPage)
const commands = (does: (text: string) => boolean) => steps.filter(({ block }) => does(block.text))
const isTerminal = (text: string) => text.startsWith('npx dayfly')
const isJob = (text: string) => text.startsWith('curl')
const rest = commands((text) => !isTerminal(text))

/** Containers see their volumes at absolute paths only where the host can mount. */
const hosts = ['that can mount', 'that cannot mount'] as const

describe.each(hosts)('the page that needs no cluster, on a host %s', (host) => {
  let obstacle: string | undefined
  // `npm run manifests` writes into the folder dist/ of the repository.
  mkdirSync('dist', { recursive: true })
  const shell = createShell('', '')
  const terminals: Terminal[] = []

  beforeAll(async () => {
    obstacle = await provideTools(shell)
    if (obstacle === undefined && host === 'that cannot mount') {
      symlinkSync('/bin/false', path.join(binOf(shell.folder), 'unshare'))
    }
  })
  afterAll(async () => {
    for (const terminal of terminals) await pressCtrlC(terminal, 'SIGKILL')
    shell.close()
  })

  /** Runs commands of the third terminal, which must succeed. */
  async function run(text: string): Promise<string> {
    const { code, stdout, stderr } = await shell.run(text, {})
    expect(code, `ended with ${code}:\n${stdout}${stderr}`).toBe(0)
    return stdout
  }

  it('opens two terminals', async (context) => {
    if (obstacle) return context.skip(obstacle)
    for (const { block } of commands(isTerminal)) terminals.push(openTerminal(shell, block.text))
    const files = ['kubeconfig', 'github-token'].map((name) => path.join(shell.folder, name))
    await until('both serve', 30_000, () => files.every(existsSync))
  })

  for (const step of rest) {
    const { block } = step
    it(`line ${block.line}: ${block.text.split('\n')[0]}`, async (context) => {
      if (obstacle) return context.skip(obstacle)
      // A reader looks back when the job has ended.
      if (/\bexplain job/.test(block.text)) await jobEnded(shell, 'hello')
      const printed = await run(block.text)
      if (step.does === 'run' && step.output) expect(comparable(printed)).toBe(comparable(step.output.text))
    })
    if (!/-f linux\.yaml/.test(block.text)) continue
    it('runs a job also without Helm', async (context) => {
      if (obstacle) return context.skip(obstacle)
      for (const job of commands(isJob)) await run(job.block.text)
      await jobEnded(shell, 'hello')
    })
  }

  it('leaves nothing when both terminals end', async (context) => {
    if (obstacle) return context.skip(obstacle)
    for (const terminal of terminals) await pressCtrlC(terminal, 'SIGINT')
    await until('the cluster removes its file', 10_000, () => !existsSync(path.join(shell.folder, 'kubeconfig')))
    expect(existsSync(path.join(shell.folder, 'github-token'))).toBe(false)
  })
})
