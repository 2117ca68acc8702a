// Judges the embedded cluster by Kubernetes' own conformance specs: npx tsx scripts/conformance-specs.ts [--only TEXT] [--logs FOLDER].
// Builds the suite from its Go module, which takes minutes the first time. Each spec runs in a process of its own. `--only` runs the
// specs whose name contains the text, also those that the list leaves out. The last line has the counts. The exit code is 3 without Go.
import { setMaxListeners } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { findMountNamespaces } from '@dayfly/cluster/runtime/process/mounts'
import { hasKubectl } from '../test/kubernetes/kubectl.ts'
import { openCluster } from './conformance/cluster.ts'
import { checkComplete, readList, type Spec } from './conformance/list.ts'
import { conformanceNames, runSpec, type Verdict } from './conformance/run-spec.ts'
import { buildPrograms, specPrograms } from './control-plane/build.ts'
import { onInterruption } from './control-plane/run-beside.ts'

const options = { only: { type: 'string' }, logs: { type: 'string' } } as const
const { only, logs } = parseArgs({ options }).values
/** Each spec waits most of its time. More of them at once would starve the cluster. */
const specsAtOnce = 6 * availableParallelism()
const signal = onInterruption()
setMaxListeners(specsAtOnce + 10, signal)
process.exitCode = await main().catch((error: unknown) => {
  if (signal.aborted) return 130
  process.stderr.write(`conformance specs: ${error instanceof Error ? error.message : String(error)}\n`)
  return 1
})

async function main(): Promise<number> {
  const namespaces = findMountNamespaces()
  if (namespaces === undefined) return cannot('this host allows no mount namespaces (unshare --mount)')
  const built = await buildPrograms([...specPrograms, ...((await hasKubectl()) ? [] : (['kubectl'] as const))], signal)
  if (built.is === 'missing') return cannot(built.why)
  const suite = path.join(built.folder, 'e2e.test')
  const all = await readList()
  checkComplete(all, await conformanceNames(suite, signal))
  const chosen = all.filter(({ name, out }) => (only === undefined ? out === undefined : name.includes(only)))
  const folder = await mkdtemp(path.join(tmpdir(), 'dayfly-specs-'))
  const cluster = await openCluster({ agnhost: path.join(built.folder, 'agnhost'), namespaces }, folder)
  try {
    if (logs !== undefined) await mkdir(logs, { recursive: true })
    const run = (spec: Spec): Promise<boolean> =>
      report(spec, runSpec(spec.name, { suite, kubeconfig: cluster.kubeconfig, logs, signal }))
    const laneOf = (wanted: string | undefined): readonly Spec[] =>
      chosen.filter(({ alone, lane }) => !alone && lane === wanted)
    const lanes = new Set(chosen.flatMap(({ lane }) => lane ?? []))
    const beside = [
      inParallel(laneOf(undefined), specsAtOnce, run),
      ...[...lanes].map((lane) => inParallel(laneOf(lane), 1, run)),
    ]
    const passed = (await Promise.all(beside)).flat()
    passed.push(
      ...(await inParallel(
        chosen.filter(({ alone }) => alone),
        1,
        run,
      )),
    )
    const count = passed.filter(Boolean).length
    process.stdout.write(
      `${all.filter(({ out }) => out !== undefined).length} of ${all.length} specs are left out; scripts/conformance/specs.txt says why\n`,
    )
    process.stdout.write(`${count} passed, ${passed.length - count} failed, 0 skipped\n`)
    return count === passed.length ? 0 : 1
  } finally {
    await cluster.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}

function cannot(why: string): number {
  process.stderr.write(`the conformance specs cannot run: ${why}\n`)
  return 3
}

async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  act: (item: T) => Promise<boolean>,
): Promise<readonly boolean[]> {
  const queue = [...items]
  const results: boolean[] = []
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) results.push(await act(item))
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return results
}

async function report({ name }: Spec, running: Promise<Verdict>): Promise<boolean> {
  const { passed, seconds, why } = await running
  process.stdout.write(
    `${passed ? 'ok  ' : 'FAIL'} ${seconds.toFixed(0).padStart(4)} s  ${name}\n${passed ? '' : `     ${why}\n`}`,
  )
  return passed
}
