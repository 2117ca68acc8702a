// Runs `npm test`: every check, and the tests that need no process of their own (vitest.config.ts). If --tier names a tier, it builds the program and runs the tests of that tier.
// The tier `node` is the fast part of the tier `kubernetes`: test/kubernetes/fast-tier.ts.
// It ends with one line of counts, where a check counts as one test.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { findChromium } from '../test/browser/chromium.ts'
import type { LaneName } from '../test/kubernetes/fast-tier.ts'
import { buildGitea } from './gitea/build.ts'
import { addTally, describeTally, emptyTally, type Tally } from './tally.ts'

type Check = { readonly name: string; readonly command: readonly [string, ...string[]] }

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const { tier } = parseArgs({ options: { tier: { type: 'string' } } }).values
if (tier === 'browser') requireChromium()
if (tier === 'gitea') await requireGitea()

const build: Check = { name: 'build', command: ['tsx', 'scripts/build.ts'] }
const checks: readonly Check[] = [
  { name: 'types', command: ['tsc', '--noEmit', '--singleThreaded'] },
  { name: 'types of the page', command: ['tsc', '--noEmit', '--project', 'packages/dashboard/src/web'] },
  { name: 'lint', command: ['biome', 'check', '.'] },
  { name: 'tidy', command: ['tsx', 'scripts/tidy.ts'] },
  { name: 'unused', command: ['knip'] },
]

const total = emptyTally()
if (tier === 'node') {
  await check(build)
  // The lanes would else build the images at the same time.
  await check({ name: 'images', command: ['tsx', 'scripts/image.ts'] })
  addTally(total, await lane('alone'))
  for (const part of await Promise.all((['lives', 'ends', 'others'] as const).map(lane))) addTally(total, part)
} else if (tier !== undefined) {
  await check(build)
  addTally(total, await tests(`vitest.${tier}.config.ts`))
} else {
  await check(build)
  // Many tests wait for a process or a server. The checks use the processors meanwhile, one check at a time.
  const [tally] = await Promise.all([tests('vitest.config.ts', {}, ['--project', 'without children']), checkAll()])
  addTally(total, tally)
}
process.stdout.write(describeTally(total))
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0

async function checkAll(): Promise<void> {
  for (const one of checks) await check(one)
}

async function check({ name, command }: Check): Promise<void> {
  const started = performance.now()
  const { code, output } = await run(command, {})
  const took = `${Math.round(performance.now() - started)} ms`
  if (code === 0) total.passed++
  else total.failed++
  process.stdout.write(code === 0 ? `  ok ${name} (${took})\n` : `  FAILED ${name}\n${output}\n`)
}

/** Exit code 3 says that this machine cannot run the tier: .ci/run. */
function requireChromium(): void {
  try {
    findChromium()
  } catch (error) {
    process.stdout.write(`${error instanceof Error ? error.message : error}\n`)
    process.exit(3)
  }
}

/** Builds the server if it is missing, which takes minutes. */
async function requireGitea(): Promise<void> {
  const built = await buildGitea(new AbortController().signal)
  if (built.is === 'built') return
  process.stdout.write(`${built.why}\n`)
  process.exit(3)
}

function lane(name: LaneName): Promise<Tally> {
  return tests('vitest.node.config.ts', { DAYFLY_LANE: name })
}

/** Runs vitest, whose reporter writes its counts to a file. Without counts, vitest has failed. */
async function tests(config: string, env: NodeJS.ProcessEnv = {}, options: readonly string[] = []): Promise<Tally> {
  const folder = mkdtempSync(path.join(tmpdir(), 'dayfly-tally-'))
  const file = path.join(folder, 'tally.json')
  try {
    const reporter = './scripts/tally-reporter.ts'
    const { code } = await run(
      ['vitest', 'run', '--config', config, '--reporter', reporter, ...options],
      { ...env, DAYFLY_TALLY: file },
      'inherit',
    )
    const tally = JSON.parse(readFileSync(file, 'utf8')) as Tally
    return code === 0 || tally.failed > 0 ? tally : { ...tally, failed: 1 }
  } catch (error) {
    process.stdout.write(`  FAILED vitest: ${error}\n`)
    return { ...emptyTally(), failed: 1 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function run(
  [program, ...args]: readonly [string, ...string[]],
  env: NodeJS.ProcessEnv,
  stdio: 'inherit' | 'pipe' = 'pipe',
): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(path.join(root, 'node_modules/.bin', program), args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', stdio, stdio],
    })
    let output = ''
    child.stdout?.on('data', (chunk) => (output += chunk))
    child.stderr?.on('data', (chunk) => (output += chunk))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? 1, output }))
  })
}
