// Runs one spec of Kubernetes' suite in a process of its own.
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'yaml'

type Options = {
  readonly suite: string
  readonly kubeconfig: string
  /** The folder for the whole output of each spec. */
  readonly logs: string | undefined
  readonly signal: AbortSignal
}

export type Verdict = { readonly passed: boolean; readonly seconds: number; readonly why: string }

const run = promisify(execFile)
/** The longest spec of the list needs four minutes on an idle machine. */
const specMsMax = 10 * 60_000
const bytesMax = 256 * 1024 * 1024

/** Returns the names of all conformance specs of the suite. */
export async function conformanceNames(suite: string, signal: AbortSignal): Promise<readonly string[]> {
  const { stdout } = await run(suite, ['--list-conformance-tests'], { signal, maxBuffer: bytesMax })
  return (parse(stdout) as readonly { readonly codename: string }[]).map(({ codename }) => codename)
}

export async function runSpec(name: string, { suite, kubeconfig, logs, signal }: Options): Promise<Verdict> {
  const started = performance.now()
  const args = ['--kubeconfig', kubeconfig, '--provider', 'skeleton', '--dump-logs-on-failure=false']
  const focus = ['--ginkgo.no-color', '--ginkgo.focus', `${name.replaceAll(/[^\w ]/g, '\\$&')}$`]
  // A kubectl that was built is beside the suite.
  const env = { ...process.env, PATH: `${process.env['PATH']}:${path.dirname(suite)}` }
  const limits = { env, signal, timeout: specMsMax, killSignal: 'SIGKILL', maxBuffer: bytesMax } as const
  const output = await run(suite, [...args, ...focus], limits).then(
    ({ stdout }) => stdout,
    (error: { readonly stdout?: string; readonly stderr?: string }) =>
      `${error.stdout ?? ''}\n${error.stderr ?? String(error)}`,
  )
  signal.throwIfAborted()
  if (logs !== undefined)
    await writeFile(path.join(logs, `${name.replaceAll(/[^\w.-]+/g, '-').slice(0, 200)}.log`), output)
  const seconds = (performance.now() - started) / 1000
  return { passed: /^SUCCESS! -- 1 Passed \| 0 Failed/m.test(output), seconds, why: failureOf(output) }
}

/** Returns the first failure in the output of the suite. */
function failureOf(output: string): string {
  const found = /^\s+\[FAILED\] (?!in \[)([\s\S]*?)\n\s*(?:In \[|-{6})/m.exec(output)?.[1]
  return (found ?? output.slice(-300)).replaceAll(/\s+/g, ' ').trim().slice(0, 400)
}
