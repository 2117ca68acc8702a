// The emulated GitHub of the benchmark, in its own process. Usage: scale-up-forge LATENCY_MS. It prints its address and token as a line of JSON.
import { createGitHubEmulator } from '@dayfly/forge-emulators/github/emulator'
import { systemClock, systemRandom } from '@dayfly/kit/system'

const token = 'ghp_benchmark'
const latencyMs = Number(process.argv[2] ?? 0)
const emulator = createGitHubEmulator({ clock: systemClock(), random: systemRandom(), latencyMs, tokens: [token] })
const { origin } = await emulator.listen(0)
process.stdout.write(`${JSON.stringify({ url: origin, token })}\n`)
process.stdin.resume().on('end', () => process.exit(0))
