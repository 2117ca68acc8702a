// Follows docs/guide/try-without-a-cluster.md as a reader does: two terminals that stay open, and a third one for all other commands.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildProgram } from '../../scripts/control-plane/build.ts'
import { until } from '../cli.ts'
import { guideSteps, localPage } from '../dayfly/guide-pages.ts'
import { findKubectl } from './kubectl.ts'
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
  const terminals: ChildProcess[] = []

  beforeAll(async () => {
    const kubectl = await findKubectl()
    const helm = await buildProgram('helm', new AbortController().signal)
    if (kubectl.is === 'missing') obstacle = kubectl.why
    else if (helm.is === 'missing') obstacle = helm.why
    else {
      const bin = path.join(shell.folder, 'global/bin')
      mkdirSync(bin, { recursive: true })
      symlinkSync(helm.program, path.join(bin, 'helm'))
      if (kubectl.program !== 'kubectl') symlinkSync(kubectl.program, path.join(bin, 'kubectl'))
      if (host === 'that cannot mount') symlinkSync('/bin/false', path.join(bin, 'unshare'))
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
    const env = { ...process.env, PATH: `${path.join(shell.folder, 'global/bin')}:${process.env['PATH']}` }
    for (const { block } of commands(isTerminal)) {
      terminals.push(spawn('bash', ['-c', block.text], { cwd: shell.folder, env, detached: true, stdio: 'ignore' }))
    }
    const files = ['kubeconfig', 'github-token'].map((name) => path.join(shell.folder, name))
    await until('both serve', 30_000, () => files.every(existsSync))
  })

  for (const step of rest) {
    const { block } = step
    it(`line ${block.line}: ${block.text.split('\n')[0]}`, async (context) => {
      if (obstacle) return context.skip(obstacle)
      // A reader looks back when the job has ended.
      if (/\bexplain job/.test(block.text)) await ended('hello')
      const printed = await run(block.text)
      if (step.does === 'run' && step.output) expect(comparable(printed)).toBe(comparable(step.output.text))
    })
    if (!/-f linux\.yaml/.test(block.text)) continue
    it('runs a job also without Helm', async (context) => {
      if (obstacle) return context.skip(obstacle)
      for (const job of commands(isJob)) await run(job.block.text)
      await ended('hello')
    })
  }

  it('leaves nothing when both terminals end', async (context) => {
    if (obstacle) return context.skip(obstacle)
    for (const terminal of terminals) await pressCtrlC(terminal, 'SIGINT')
    await until('the cluster removes its file', 10_000, () => !existsSync(path.join(shell.folder, 'kubeconfig')))
    expect(existsSync(path.join(shell.folder, 'github-token'))).toBe(false)
  })

  /** Waits until the set remembers that the job has succeeded, and its runner is gone. */
  async function ended(job: string): Promise<void> {
    await until(`${job} has ended`, 60_000, async () => {
      const pods = await shell.run('kubectl -n ci get pods -o name', {})
      const { stdout } = await shell.run(`dayfly explain job/${job} -n ci`, {})
      return pods.code === 0 && pods.stdout === '' && /succeeded/.test(stdout)
    })
  }
})

/** Signals the process group of a terminal, and resolves when its command has ended. */
async function pressCtrlC(terminal: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (terminal.pid === undefined || terminal.exitCode !== null || terminal.signalCode !== null) return
  const end = new Promise((resolve) => terminal.once('exit', resolve))
  process.kill(-terminal.pid, signal)
  await end
}
