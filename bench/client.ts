// Compares Dayfly's reflector with the informer of @kubernetes/client-node 1.4: 10,000 pods of 12 KB, then 20,000 changes. Each client runs in
// its own process against the same server program. Dayfly's client is bundled, as it is published. The other one comes from node_modules, as
// npm installs it. As a bundle, it would save about 0.3 s of CPU time at its start.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'esbuild'
import { podText } from './client-pods.ts'
import type { Report } from './client-report.ts'

type Side = {
  readonly cpuSeconds: number
  readonly peakRssBytes: number
  readonly wallMs: number
  readonly keys: number
}

const pods = 10_000
const events = 20_000
const rounds = 3
const json = process.argv.includes('--json')

/** A folder in node_modules, so that Node finds the packages that are not bundled. */
const folder = await mkdtemp(path.join(import.meta.dirname, '../node_modules/.dayfly-bench-'))
try {
  await bundle('client-server', 'bundle')
  await bundle('client-ours', 'bundle')
  await bundle('client-node', 'external')
  const ours: Report[] = []
  const clientNode: Report[] = []
  for (let round = 0; round < rounds; round++) {
    ours.push(await measure('client-ours'))
    clientNode.push(await measure('client-node'))
  }
  const result = {
    pods,
    events,
    podBytes: podText(0, 1_000, 'Running').length,
    rounds,
    ours: median(ours),
    clientNode: median(clientNode),
  }
  const ratio = {
    cpu: round(result.ours.cpuSeconds / result.clientNode.cpuSeconds),
    rss: round(result.ours.peakRssBytes / result.clientNode.peakRssBytes),
  }
  process.stdout.write(json ? `${JSON.stringify({ ...result, ratio })}\n` : table({ ...result, ratio }))
} finally {
  await rm(folder, { recursive: true })
}

async function bundle(name: string, packages: 'bundle' | 'external'): Promise<void> {
  await build({
    entryPoints: [path.join(import.meta.dirname, `${name}.ts`)],
    outfile: path.join(folder, `${name}.mjs`),
    bundle: true,
    packages,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'warning',
  })
}

/** Runs one client against a new server. Throws if the client does not end with exactly the keys that the server expects. */
async function measure(name: string): Promise<Report> {
  const env = { ...process.env, BENCH_PODS: String(pods), BENCH_EVENTS: String(events) }
  const server = spawn(process.execPath, [path.join(folder, 'client-server.mjs')], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  try {
    const { port, keysDigest } = JSON.parse(await firstLine(server.stdout)) as { port: number; keysDigest: string }
    const args = [path.join(folder, `${name}.mjs`), `http://127.0.0.1:${port}`]
    const client = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = once(client, 'close')
    const report = JSON.parse(await firstLine(client.stdout)) as Report
    await ended
    if (report.keysDigest !== keysDigest) throw new Error(`${name} ended with the wrong keys`)
    return report
  } finally {
    const ended = once(server, 'close')
    server.stdin.end()
    await ended
  }
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stream })) return line
  throw new Error('a process of the benchmark ended without output')
}

function median(reports: readonly Report[]): Side {
  const middle = (field: 'cpuSeconds' | 'peakRssBytes' | 'wallMs') =>
    reports.map((report) => report[field]).sort((a, b) => a - b)[Math.floor(reports.length / 2)] ?? Number.NaN
  return {
    cpuSeconds: round(middle('cpuSeconds')),
    peakRssBytes: middle('peakRssBytes'),
    wallMs: Math.round(middle('wallMs')),
    keys: reports[0]?.keys ?? 0,
  }
}

function table({
  ours,
  clientNode,
  ratio,
}: {
  ours: Side
  clientNode: Side
  ratio: { cpu: number; rss: number }
}): string {
  const row = (name: string, { cpuSeconds, peakRssBytes, wallMs, keys }: Side) =>
    `${name.padEnd(24)} ${cpuSeconds.toFixed(2).padStart(6)} s CPU ${(peakRssBytes / 1e6).toFixed(0).padStart(5)} MB ${String(wallMs).padStart(6)} ms  ${keys} keys\n`
  const ratios = `ratio: ${ratio.cpu} of the CPU, ${ratio.rss} of the memory\n`
  return row('dayfly', ours) + row('@kubernetes/client-node', clientNode) + ratios
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
