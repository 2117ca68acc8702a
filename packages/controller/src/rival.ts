// Two RunnerSets of this cluster that want the same name at one account: the forge refuses the second one, and does not know why.
import type { Failure } from '@dayfly/runner-set/model/failure'
import type { Input } from '@dayfly/runner-set/model/input'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'

/** Returns another set of the same name, runner group and account; undefined if there is none. */
export function rivalOf(set: RunnerSet, others: readonly RunnerSet[]): RunnerSet | undefined {
  return others.find((other) => other.uid !== set.uid && nameAtForge(other) === nameAtForge(set))
}

/** Two sets with the same result want the same record at the forge. Forges compare names and addresses without regard to case. */
export function nameAtForge({
  name,
  source: { kind, url, runnerGroup },
}: {
  readonly name: string
  readonly source: Pick<RunnerSet['source'], 'kind' | 'url' | 'runnerGroup'>
}): string {
  return JSON.stringify([kind, url.replace(/\/+$/, ''), runnerGroup ?? 'default', name]).toLowerCase()
}

/** Returns the input with the rival as the cause of a collision. Nobody may follow the advice to delete a record that another set uses. */
export function namingRival(input: Input, find: () => RunnerSet | undefined): Input {
  if (input.kind === 'forge-failed') return { ...input, failure: withRival(input.failure, find) }
  if (input.kind !== 'forge-event' || input.event.kind !== 'failing') return input
  return { ...input, event: { ...input.event, failure: withRival(input.event.failure, find) } }
}

function withRival(failure: Failure, find: () => RunnerSet | undefined): Failure {
  const rival = failure.reason === 'registration-collides' ? find() : undefined
  if (!rival) return failure
  return { reason: 'set-name-taken', message: `RunnerSet ${rival.namespace}/${rival.name} uses it` }
}
