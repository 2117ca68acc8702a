// Runs the commands of an operator against the real node: helm, kubectl and dayfly, with a configuration of their own.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { root } from './images.ts'

const run = promisify(execFile)
const timeout = 120_000

export type Operator = ReturnType<typeof createOperator>

export function createOperator(kubeconfig: string) {
  const home = mkdtempSync(path.join(tmpdir(), 'operator-'))
  const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: home, HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home }
  const maxBuffer = 64 * 1024 * 1024
  let files = 0
  const write = (text: string): string => {
    const file = path.join(home, `file-${files++}`)
    writeFileSync(file, text, { mode: 0o600 })
    return file
  }
  const command =
    (program: string) =>
    async (...args: readonly string[]): Promise<string> =>
      (await run(program, args, { env, timeout, maxBuffer })).stdout
  return {
    helm: command('helm'),
    kubectl: command('kubectl'),
    /** Runs the built program. Exit code 1 says that it has found a problem. */
    dayfly: async (...args: readonly string[]): Promise<string> => {
      const program = [path.join(root, 'packages/dayfly/dist/dayfly.js'), ...args]
      const found = run(process.execPath, program, { env, timeout, maxBuffer })
      const { stdout } = await found.catch((error: { readonly code?: unknown; readonly stdout: string }) => {
        if (error.code !== 1) throw error
        return error
      })
      return stdout
    },
    /** Writes values to a file and returns the arguments that use it. */
    values: (values: object): readonly string[] => ['--values', write(JSON.stringify(values))],
    /** Writes text to a file and returns its path. */
    file: write,
    close: () => rmSync(home, { recursive: true }),
  }
}
