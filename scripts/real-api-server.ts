// Runs a command beside a real Kubernetes API server: npx tsx scripts/real-api-server.ts npm run test:kubernetes
// KUBECONFIG names the server while the command runs; nothing of it stays afterwards. Where it cannot be built, the command runs
// without it and DAYFLY_NO_CLUSTER says why. The exit code is the command's.
import { buildControlPlane } from './control-plane/build.ts'
import { type CommandLine, onInterruption, runBeside } from './control-plane/run-beside.ts'
import { startControlPlane } from './control-plane/start.ts'

const [program, ...args] = process.argv.slice(2)
if (program === undefined) {
  process.stderr.write('usage: npx tsx scripts/real-api-server.ts COMMAND [ARGUMENT…]\n')
  process.exit(2)
}
const signal = onInterruption()
process.exitCode = await main([program, ...args]).catch((error: unknown) => {
  if (signal.aborted) return 130
  process.stderr.write(`real API server: ${error instanceof Error ? error.message : String(error)}\n`)
  return 1
})

async function main(command: CommandLine): Promise<number> {
  const started = performance.now()
  const since = () => `${((performance.now() - started) / 1000).toFixed(1)} s`
  const built = await buildControlPlane(signal)
  if (built.is === 'missing') {
    process.stderr.write(`\n!! NO REAL API SERVER: ${built.why}. What needs one is skipped.\n\n`)
    return await runBeside(command, { DAYFLY_NO_CLUSTER: built.why, KUBECONFIG: undefined }, signal)
  }
  process.stderr.write(`real API server: built, or found built, after ${since()}\n`)
  const server = await startControlPlane(built.program, signal)
  try {
    process.stderr.write(`real API server: ready after ${since()}; KUBECONFIG=${server.kubeconfig}\n`)
    return await runBeside(command, { KUBECONFIG: server.kubeconfig }, signal)
  } finally {
    await server.close()
  }
}
