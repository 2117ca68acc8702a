// Runs `dayfly doctor --live` with a clock that is two hours ahead.
import { fileURLToPath } from 'node:url'
import { jsonReport } from '@dayfly/doctor/report/shape'
import { type CliResult, runCli } from '../cli.ts'

/** Longer than every waiting time of the live rules. */
const aheadMs = 2 * 3_600_000
const clock = fileURLToPath(new URL('./late-clock.mjs', import.meta.url))

/** Runs the doctor in this folder, where it writes the logs of its repairs. */
export function liveDoctor(folder: string, kubeconfig: string, ...args: readonly string[]): Promise<CliResult> {
  const command = ['doctor', '--live', '--kubeconfig', kubeconfig, '--format', 'json', ...args]
  return runCli(command, { cwd: folder, node: ['--import', clock], environment: { LATE_MS: String(aheadMs) } })
}

/** Returns `CODE Kind/name: message` for each finding in these namespaces. Names and times that differ from run to run are replaced. */
export function findingsIn({ stdout }: CliResult, site: string): readonly string[] {
  const { findings } = jsonReport.parse(JSON.parse(stdout))
  return findings
    .filter(({ object }) => (object.namespace ?? object.name).startsWith(site))
    .map(({ code, object, message }) => `${code} ${object.kind}/${object.name}: ${plain(message, site)}`)
    .sort()
}

function plain(message: string, site: string): string {
  return message.replaceAll(site, 'SITE').replace(/\d+ (s|min|h|d)\b( \d+ (s|min)\b)?/g, 'TIME')
}
