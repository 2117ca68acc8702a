// Reads, runs and writes the `console` blocks of README.md: a command of the built program, and its output.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
const program = 'packages/dayfly/dist/dayfly.js'

export type Block = { readonly command: string; readonly output: string }

const blocks = /^```console\n\$ (dayfly [^\n]*)\n([\s\S]*?)^```$/gm

export function readBlocks(page: string): Block[] {
  return [...page.matchAll(blocks)].map(([, command = '', output = '']) => ({ command, output }))
}

/**
 * Returns what the built program prints, on both streams.
 * The program gets a folder for temporary files of its own: in a shared one, it would find what other demos left.
 */
export function runBlock(command: string): string {
  if (!existsSync(path.join(root, program))) throw new Error(`${program} is missing: run "npx tsx scripts/build.ts"`)
  const folder = mkdtempSync(path.join(tmpdir(), 'dayfly-readme-'))
  try {
    return runIn(folder, command).replaceAll(folder, '/tmp')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function runIn(folder: string, command: string): string {
  const [, ...words] = command.split(' ')
  const options = { cwd: root, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1', TMPDIR: folder } } as const
  const { stdout, stderr, status } = spawnSync(process.execPath, [program, ...words], options)
  // The doctor exits with 1 if it has findings.
  if (status !== 0 && status !== 1) throw new Error(`"${command}" ended with ${status}:\n${stdout}${stderr}`)
  return `${stdout}${stderr}`
}

/** Returns the page with new outputs. An output that differs only in times and random names stays. */
export function writeBlocks(page: string): string {
  return page.replace(blocks, (block, command: string, output: string) => {
    const printed = runBlock(command)
    return normalized(printed) === normalized(output) ? block : `\`\`\`console\n$ ${command}\n${printed}\`\`\``
  })
}

/** Replaces times, ports and random names, and leaves out the lines of progress. */
export function normalized(output: string): string {
  return output
    .replace(/^ +[\d.]+ s {2}\d+ of \d+ jobs done.*\n/gm, '')
    .replace(/\/tmp\/dayfly-demo-[\w-]+/g, '/tmp/dayfly-demo-…')
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, 'http://127.0.0.1:…')
    .replace(/\b\d+(?:\.\d+)? (s|ms)$/gm, '… $1')
}
