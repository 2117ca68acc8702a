// Runs the commands of the guide on a real node: each `sh` block, in the order of the pages, as an operator would.
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { crds } from '../client-place.ts'
import { importImages, root } from './images.ts'
import { type Node, nodeKubeconfig, openNode, whyNoNode } from './open-node.ts'
import { type OutsideForge, openForge } from './outside-forge.ts'

const run = promisify(execFile)
const file = nodeKubeconfig
if (file) describe('on a real node', () => suite(file))
else describe('on a real node', () => it('the commands of the guide', (context) => context.skip(whyNoNode)))

/** The pages in the order of an operator's work. */
const pages = ['install', 'first-set', 'security', 'upgrade', 'uninstall']

function suite(kubeconfig: string): void {
  const folder = mkdtempSync(path.join(tmpdir(), 'guide-'))
  let node: Node | undefined
  let forge: OutsideForge | undefined
  let environment: NodeJS.ProcessEnv = { ...process.env, KUBECONFIG: kubeconfig, HOME: folder }
  beforeAll(async () => {
    node = await openNode(kubeconfig)
    forge = await openForge(50)
    await importImages()
    // The commands run at the top of the repository. The files that they write stay out of it.
    for (const name of readdirSync(root)) symlinkSync(path.join(root, name), path.join(folder, name))
    writeFileSync(path.join(folder, 'token'), forge.token)
  })
  afterAll(async () => {
    await node?.kubernetes.delete(crds, { name: 'runnersets.dayfly.dev' }).catch(() => {})
    await node?.close()
    await forge?.close()
    rmSync(folder, { recursive: true })
  })

  /** Runs a block. Its variables stay, but a test has its own forge. */
  async function perform(block: string): Promise<void> {
    const after = path.join(folder, 'environment')
    const script = `set -euo pipefail\n${block}\nenv -0 > '${after}'`
    await run('bash', ['-c', script], { cwd: folder, env: environment, timeout: 240_000 })
    const entries = readFileSync(after, 'utf8')
      .split('\0')
      .filter(Boolean)
      .map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)])
    const own = { GITHUB_URL: forge?.url, GITHUB_TOKEN_FILE: path.join(folder, 'token') }
    environment = { ...Object.fromEntries(entries), ...own }
  }

  const blocks = pages.flatMap((page) =>
    shellBlocks(readFileSync(path.join(root, `docs/guide/${page}.md`), 'utf8')).map(({ line, block }) => ({
      title: `${page}.md line ${line}: ${block.split('\n')[0]}`,
      block,
    })),
  )

  it.each(blocks)('$title', async ({ block }) => {
    await perform(block)
  })

  it('nothing of the guide is left', async () => {
    const left = await run('helm', ['list', '-A', '-q'], { env: environment })
    expect(left.stdout.trim()).toBe('')
  })
}

/** Returns the `sh` blocks of a page with their first lines. */
function shellBlocks(text: string): readonly { readonly line: number; readonly block: string }[] {
  return [...text.matchAll(/^( *)```sh\n([\s\S]*?)^ *```$/gm)].map(({ index, 1: indent = '', 2: block = '' }) => ({
    line: text.slice(0, index).split('\n').length,
    block: block.replaceAll(new RegExp(`^${indent}`, 'gm'), '').trim(),
  }))
}
