// Reads, runs and writes the `console` blocks of README.md: a command of the built program, and its output.
import { spawnSync } from 'node:child_process'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')

export type Block = { readonly command: string; readonly output: string }

const blocks = /^```console\n\$ (dayfly [^\n]*)\n([\s\S]*?)^```$/gm

export function readBlocks(page: string): Block[] {
  return [...page.matchAll(blocks)].map(([, command = '', output = '']) => ({ command, output }))
}

/** Returns what the built program prints, on both streams. */
export function runBlock(command: string): string {
  const [, ...words] = command.split(' ')
  const options = { cwd: root, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1', TMPDIR: '/tmp' } } as const
  const { stdout, stderr, error } = spawnSync(process.execPath, ['dist/dayfly.js', ...words], options)
  if (error) throw error
  return `${stdout}${stderr}`
}

/** Returns the page with new outputs. An output that differs only in times and random names stays. */
export function writeBlocks(page: string): string {
  return page.replace(blocks, (block, command: string, output: string) => {
    const printed = runBlock(command)
    return normalized(printed) === normalized(output) ? block : `\`\`\`console\n$ ${command}\n${printed}\`\`\``
  })
}

/** Replaces times and random names, and leaves out the lines of progress. */
export function normalized(output: string): string {
  return output
    .replace(/^ +[\d.]+ s {2}\d+ of \d+ jobs done.*\n/gm, '')
    .replace(/\/tmp\/dayfly-demo-[\w-]+/g, '/tmp/dayfly-demo-…')
    .replace(/\b\d+(?:\.\d+)? (s|ms)$/gm, '… $1')
}
