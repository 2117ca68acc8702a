// Builds the Go programs that the tests on a real node need: npx tsx scripts/build-programs.ts [--all] [--collector] [--gitea].
// `--all` adds the checkers of charts, workflows and releases. `--collector` adds OpenTelemetry's collector, which a test compiles again from
// Go's cache. `--gitea` adds a Gitea server.
// Needs Go and its modules. The exit code is 3 if one of them is missing.
import { parseArgs } from 'node:util'
import { buildPrograms, checkers, compileClient, compileCollector, nodePrograms } from './control-plane/build.ts'
import { onInterruption } from './control-plane/run-beside.ts'
import { buildGitea } from './gitea/build.ts'

const flag = { type: 'boolean', default: false } as const
const { all, collector, gitea: server } = parseArgs({ options: { all: flag, collector: flag, gitea: flag } }).values
const signal = onInterruption()
const built = await buildPrograms([...nodePrograms, ...(all ? checkers : [])], signal)
const lacking = built.is === 'missing' ? built : await compileClient(signal)
const failed = lacking ?? (collector ? await compileCollector(signal) : undefined)
const gitea = server ? await buildGitea(signal) : undefined
const missing = failed ?? (gitea?.is === 'missing' ? gitea : undefined)
if (missing) process.stderr.write(`the Go programs are missing: ${missing.why}\n`)
process.exitCode = missing ? 3 : 0
