// Runs a command beside a real Kubernetes API server: npx tsx scripts/real-api-server.ts npm run test:kubernetes
// KUBECONFIG names the server while the command runs; nothing of it stays afterwards. Where it cannot be built, the command runs
// without it and DAYFLY_NO_CLUSTER says why. The exit code is the command's.
import { spawn } from 'node:child_process'
import { buildControlPlane } from './control-plane/build.ts'
import { startControlPlane } from './control-plane/start.ts'

const [program, ...args] = process.argv.slice(2)
if (program === undefined) {
  process.stderr.write('usage: npx tsx scripts/real-api-server.ts COMMAND [ARGUMENT…]\n')
  process.exit(2)
}
const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interruption.abort(signal))
process.exitCode = await main(program, args, interruption.signal).catch((error: unknown) => {
  if (interruption.signal.aborted) return 130
  process.stderr.write(`real API server: ${error instanceof Error ? error.message : String(error)}\n`)
  return 1
})

async function main(program: string, args: readonly string[], signal: AbortSignal): Promise<number> {
  const started = performance.now()
  const since = () => `${((performance.now() - started) / 1000).toFixed(1)} s`
  const built = await buildControlPlane(signal)
  if (built.is === 'missing') {
    process.stderr.write(`\n!! NO REAL API SERVER: ${built.why}. What needs one is skipped.\n\n`)
    return await run([program, ...args], { DAYFLY_NO_CLUSTER: built.why, KUBECONFIG: undefined }, signal)
  }
  process.stderr.write(`real API server: built, or found built, after ${since()}\n`)
  const server = await startControlPlane(built.program, signal)
  try {
    process.stderr.write(`real API server: ready after ${since()}; KUBECONFIG=${server.kubeconfig}\n`)
    return await run([program, ...args], { KUBECONFIG: server.kubeconfig }, signal)
  } finally {
    await server.close()
  }
}

function run(
  [program, ...args]: readonly [string, ...string[]],
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...environment } })
    signal.addEventListener('abort', () => child.kill(signal.reason as NodeJS.Signals), { once: true })
    child.on('error', reject)
    child.on('exit', (code, by) => resolve(code ?? (by ? 130 : 1)))
  })
}
