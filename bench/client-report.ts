// The report that a client process of the benchmark prints at its end. It covers the whole process, with the start of Node.
import { createHash } from 'node:crypto'

export type Report = {
  readonly cpuSeconds: number
  readonly peakRssBytes: number
  readonly wallMs: number
  readonly keys: number
  /** The SHA-256 of the sorted keys. Two clients with the same digest hold the same objects. */
  readonly keysDigest: string
}

export function report(keys: readonly string[]): void {
  const { user, system } = process.cpuUsage()
  const report: Report = {
    cpuSeconds: (user + system) / 1e6,
    peakRssBytes: process.resourceUsage().maxRSS * 1024,
    wallMs: performance.now(),
    keys: keys.length,
    keysDigest: digest(keys),
  }
  process.stdout.write(`${JSON.stringify(report)}\n`)
}

export function digest(keys: readonly string[]): string {
  return createHash('sha256')
    .update([...keys].sort().join('\n'))
    .digest('hex')
}
