// Writes observations of one world into the notebook.
import type { Resource } from '@dayfly/kubernetes/types'
import type { Part } from './evidence.ts'
import { tableOf } from './kubectl.ts'
import type { Notebook } from './notebook.ts'
import type { World } from './world.ts'

export type Observation = {
  readonly claim: string
  readonly command: string
  readonly output: readonly string[]
  readonly holds: boolean
}

export function note(notebook: Notebook, world: World, part: Part, observation: Observation): void {
  notebook.write({ part, after: spanText(world.clock.now() - world.startedAt), ...observation })
}

/** Notes what `kubectl get` prints. The claim holds if the lines match the pattern. */
export async function noteTable(
  notebook: Notebook,
  world: World,
  part: Part,
  { claim, resource, namespace, matches }: TableClaim,
): Promise<void> {
  const output = await tableOf(world, resource, namespace)
  const command = `kubectl -n ${namespace} get ${resource.plural}`
  note(notebook, world, part, { claim, command, output, holds: matches.test(output.join('\n')) })
}

export type TableClaim = {
  readonly claim: string
  readonly resource: Resource
  readonly namespace: string
  readonly matches: RegExp
}

/** Returns a time span as kubectl writes an age: `45s`, `12m`, `3h`, `2d`. */
function spanText(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  if (seconds < 120) return `${seconds}s`
  if (seconds < 2 * 3_600) return `${Math.floor(seconds / 60)}m`
  if (seconds < 48 * 3_600) return `${Math.floor(seconds / 3_600)}h`
  return `${Math.floor(seconds / 86_400)}d`
}
