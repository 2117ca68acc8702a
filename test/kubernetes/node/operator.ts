// Runs the commands of an operator against the real node: helm, kubectl and dayfly, with a configuration of their own.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const timeout = 120_000

export type Operator = ReturnType<typeof createOperator>

export function createOperator(kubeconfig: string) {
  const home = mkdtempSync(path.join(tmpdir(), 'operator-'))
  const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: home, HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home }
  const maxBuffer = 64 * 1024 * 1024
  let files = 0
  const command =
    (program: string) =>
    async (...args: readonly string[]): Promise<string> =>
      (await run(program, args, { env, timeout, maxBuffer })).stdout
  return {
    helm: command('helm'),
    kubectl: command('kubectl'),
    /** Writes values to a file and returns the arguments that use it. */
    values: (values: object): readonly string[] => {
      const file = path.join(home, `values-${files++}.json`)
      writeFileSync(file, JSON.stringify(values))
      return ['--values', file]
    },
    close: () => rmSync(home, { recursive: true }),
  }
}
