// Runs `dayfly doctor --live` as an operator does, some hours in the future.
import { fileURLToPath } from 'node:url'
import { jsonReport } from '../../src/doctor/reporters/shape.ts'
import { runCli, type Told } from '../cli.ts'

/** Milliseconds. Every waiting time of a live rule is over by then. */
const late = 2 * 3_600_000
const clock = fileURLToPath(new URL('./late-clock.mjs', import.meta.url))

/** Runs in this folder, which keeps the logs of its repairs. */
export function liveDoctor(folder: string, kubeconfig: string, ...args: readonly string[]): Promise<Told> {
  const command = ['doctor', '--live', '--kubeconfig', kubeconfig, '--format', 'json', ...args]
  return runCli(command, { cwd: folder, node: ['--import', clock], environment: { LATE_MS: String(late) } })
}

/** Returns `CODE Kind/name` and the message of each finding in these namespaces, without the parts that differ by run. */
export function findingsIn({ stdout }: Told, site: string): readonly string[] {
  const { findings } = jsonReport.parse(JSON.parse(stdout))
  return findings
    .filter(({ object }) => (object.namespace ?? object.name).startsWith(site))
    .map(({ code, object, message }) => `${code} ${object.kind}/${object.name}: ${plain(message, site)}`)
    .sort()
}

function plain(message: string, site: string): string {
  return message.replaceAll(site, 'SITE').replace(/\d+ (s|min|h|d)\b( \d+ (s|min)\b)?/g, 'TIME')
}
