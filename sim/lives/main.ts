// `npm run sim:lives`: many lives through the core's fold and decide alone, in a process of its own.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { bundleOf } from '../bundle.ts'
import { countIn, readArguments, refuse } from '../command-arguments.ts'
import { livesFlags } from '../memory-flags.ts'

const help = `Runs lives through the core's fold and decide: no wire, no cluster, no clock.

  npm run sim:lives -- [--lives N] [--runners N] [--sets N] [--seed S] [--checkpoint FILE] [--profile] [--json]

  --lives N     lives to run (default 1000000)
  --runners N   runners at once, of all sets (default 10000)
  --sets N      sets that share them (default 1)
  --seed S      other random numbers (default 1)
  --checkpoint FILE
                stores the run in this file after each tenth; if the file exists, the run goes on from there
  --profile     shows which part of the processor time the core, the simulation and the garbage collector had
  --json        writes the result as JSON

Examples:
  npm run sim:lives -- --lives 100000 --runners 1000
  npm run sim:lives -- --lives 100000000 --checkpoint lives.checkpoint --json > result.json
  npm run sim:lives -- --lives 200000 --runners 10000 --sets 20 --profile

Progress goes to standard error, the result to standard output. The exit code is 0 if every promise was kept.
`

const counts = ['lives', 'runners', 'sets', 'seed'] as const

const { values } = readArguments('sim:lives', {
  options: {
    lives: { type: 'string', default: '1000000' },
    runners: { type: 'string', default: '10000' },
    sets: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    checkpoint: { type: 'string' },
    profile: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) process.stdout.write(help)
else process.exitCode = await run()

async function run(): Promise<number> {
  const plan = counts.map((name) => countIn(name, values[name]))
  if (Number(values.runners) < Number(values.sets))
    refuse(`--runners must be at least the number of sets, and not "${values.runners}"`)
  const bundle = await bundleOf('lives/process')
  const flags = (['json', 'profile'] as const).filter((name) => values[name]).map((name) => `--${name}`)
  const file = values.checkpoint === undefined ? [] : ['--checkpoint', values.checkpoint]
  const args = [...plan.map(String), ...flags, ...file]
  const child = fork(fileURLToPath(bundle.url), args, { execArgv: [...livesFlags] })
  const [code] = await once(child, 'exit')
  await bundle.remove()
  return Number(code ?? 1)
}
