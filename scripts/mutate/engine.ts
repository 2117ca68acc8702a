// A process that keeps vitest warm. It gets one mutated file at a time, and answers whether a test fails.
// The mutated text is served to vitest by a plug-in and is never written to disk.
import { realpathSync } from 'node:fs'
import path from 'node:path'
import { createVitest } from 'vitest/node'

/** A file with the text that replaces it; undefined to run the tests on the unchanged tree. */
export type Order = { readonly file: string; readonly text: string } | undefined

/** `killedBy`: the first test that fails, or the error that stopped the run; undefined if every test passes. */
export type Answer = { readonly killedBy: string | undefined }

const root = realpathSync(process.cwd())
let served: { readonly file: string; readonly text: string } | undefined

// A test that loops would keep this process alive after its parent is gone.
process.on('disconnect', () => process.exit())

const vitest = await createVitest(
  'test',
  {
    root,
    // This project's own settings include tests that are not the core's.
    config: false,
    include: ['packages/runner-set/src/core/**/*.test.ts'],
    watch: true,
    cache: false,
    bail: 1,
    pool: 'threads',
    isolate: false,
    fileParallelism: false,
    silent: true,
    reporters: [{}],
    // The property tests take the longest, so they come last.
    sequence: {
      sequencer: class {
        shard = sorted
        sort = sorted
      },
    },
  },
  {
    logLevel: 'silent',
    server: { watch: null },
    plugins: [
      {
        name: 'mutant',
        enforce: 'pre',
        load: (id: string) => (id.split('?')[0] === served?.file ? served?.text : undefined),
      },
    ],
  },
)
const specifications = await vitest.globTestSpecifications()

process.on('message', (order: { readonly mutant: Order }) => void work(order.mutant))
process.send?.({ killedBy: undefined } satisfies Answer)

async function work(mutant: Order): Promise<void> {
  const changed = [served?.file, mutant && path.join(root, mutant.file)].filter((file) => file !== undefined)
  served = mutant && { file: path.join(root, mutant.file), text: mutant.text }
  for (const file of changed) vitest.invalidateFile(file)
  process.send?.({ killedBy: await run() } satisfies Answer)
}

async function run(): Promise<string | undefined> {
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications, true)
  const failed = testModules.find((module) => !module.ok())
  if (failed) {
    const [test] = failed.children.allTests('failed')
    return `${failed.relativeModuleId}: ${test?.fullName ?? 'it cannot be loaded'}`
  }
  if (unhandledErrors.length > 0) return String(unhandledErrors[0])
  return testModules.length === 0 ? 'no test was found' : undefined
}

async function sorted<Specification extends { readonly moduleId: string }>(files: Specification[]) {
  const last = ({ moduleId }: Specification) => (moduleId.includes('.property.') ? 1 : 0)
  return files.sort((left, right) => last(left) - last(right) || left.moduleId.localeCompare(right.moduleId))
}
