// Reduces what a watch shows of a pod to the changes that are the same in each run. Kubernetes is racy in four ways, so four things are left out:
// the wait before the first container; whether the last end and the final phase are one update or two; whether a sidecar starts and becomes ready in
// one update or two; and which conditions change together.

/** The pod in one event of a watch. */
export type Look = { readonly state: string; readonly conditions: ReadonlyMap<string, string> }

export type Facets = {
  readonly states: readonly string[]
  readonly conditions: Readonly<Record<string, readonly string[]>>
}

export function facets(looks: readonly Look[]): Facets {
  const kept = looks.filter((look, index) => !isPassing(look, looks[index + 1]))
  const conditions: Record<string, string[]> = {}
  for (const look of kept) {
    for (const [type, line] of look.conditions) {
      conditions[type] ??= []
      if (conditions[type].at(-1) !== line) conditions[type].push(line)
    }
  }
  const states = kept.map(({ state }) => state).filter((state, index, all) => state !== all[index - 1])
  return { states, conditions: Object.fromEntries(Object.entries(conditions).sort()) }
}

const waits = /^Pending( \S+=(none|ContainerCreating|PodInitializing))+$/
const parts = /^(\w+)(!?)(.*)$/

/** Whether the pod waits for its first container, or has ended and gets its final phase next, or its sidecar becomes ready next. */
function isPassing({ state }: Look, next: Look | undefined): boolean {
  if (next === undefined) return false
  if (waits.test(state)) return !next.state.startsWith('Pending!')
  if (state.startsWith('Pending') && state.replaceAll(/started(?!,ready)/g, 'started,ready') === next.state) return true
  const [, phase = '', , rest] = parts.exec(state) ?? []
  const [, nextPhase = '', , nextRest] = parts.exec(next.state) ?? []
  return rest === nextRest && phase !== nextPhase && /Succeeded|Failed/.test(nextPhase)
}
