// Runs a command with a real Kubernetes API server. Usage: npx tsx scripts/real-api-server.ts npm run test:kubernetes.
// KUBECONFIG names the server while the command runs. Afterwards, the server and its files are removed. If the server cannot be built, the
// command runs without it, and DAYFLY_NO_CLUSTER contains the reason. The exit code is the command's.
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
    process.stderr.write(`\n!! NO REAL API SERVER: ${built.why}. Tests that need one are skipped.\n\n`)
    return await runBeside(command, { DAYFLY_NO_CLUSTER: built.why, KUBECONFIG: undefined }, signal)
  }
  process.stderr.write(`real API server: the program is available after ${since()}\n`)
  const server = await startControlPlane(built.program, signal)
  try {
    process.stderr.write(`real API server: ready after ${since()}; KUBECONFIG=${server.kubeconfig}\n`)
    return await runBeside(command, { KUBECONFIG: server.kubeconfig }, signal)
  } finally {
    await server.close()
  }
}
