// The shares of the core, the simulation and the garbage collector in the processor time: a sampling profile, by the source files of a bundle.
import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { fileURLToPath } from 'node:url'

/** Shares of all samples, the largest first. */
export type Shares = readonly { readonly part: string; readonly share: number }[]

type Node = {
  readonly id: number
  readonly callFrame: { readonly url: string; readonly lineNumber: number; readonly functionName: string }
}

const intervalMicroseconds = 1_000

/** Starts a profile of this process. Returns the function that ends it. */
export async function startProfile(bundleUrl: string): Promise<() => Promise<Shares>> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: intervalMicroseconds })
  await session.post('Profiler.start')
  return async () => {
    const { profile } = await session.post('Profiler.stop')
    session.disconnect()
    return sharesOf(profile.nodes, profile.samples ?? [], bundleUrl)
  }
}

function sharesOf(nodes: readonly Node[], samples: readonly number[], bundleUrl: string): Shares {
  const files = filesOf(readFileSync(fileURLToPath(bundleUrl), 'utf8'))
  const parts = new Map(nodes.map(({ id, callFrame }) => [id, partOf(callFrame, bundleUrl, files)]))
  const counted = new Map<string, number>()
  for (const sample of samples) {
    const part = parts.get(sample) ?? 'other'
    counted.set(part, (counted.get(part) ?? 0) + 1)
  }
  return [...counted]
    .map(([part, count]) => ({ part, share: count / samples.length }))
    .sort((left, right) => right.share - left.share)
}

/** Returns the source file of each line: the bundler writes its name above the lines of a file. */
function filesOf(bundle: string): readonly string[] {
  let file = ''
  return bundle.split('\n').map((line) => {
    file = /^\/\/ (\S+\.ts)$/.exec(line)?.[1] ?? file
    return file
  })
}

function partOf(
  { url, lineNumber, functionName }: Node['callFrame'],
  bundleUrl: string,
  files: readonly string[],
): string {
  if (functionName === '(garbage collector)') return 'garbage collector'
  const file = url === bundleUrl ? (files[lineNumber] ?? '') : ''
  if (file.startsWith('sim/')) return 'simulation'
  if (file.startsWith('packages/')) return 'core'
  return 'other'
}
