// Shares what the checks of the Pod Security Standards need: the containers of a pod, and the phrases of the API server about them.
import { type JsonObject, listAt, textAt, valueAt } from '@dayfly/kit/read-json'

export type Violation = { readonly reason: string; readonly detail: string }
export type Check = {
  /** The restricted level has a stricter check in its place. */
  readonly isReplaced?: true
  readonly find: (spec: JsonObject) => Violation | undefined
}

export type Container = { readonly name: string; readonly raw: unknown }

/** Init containers come first, as in the server's messages. */
export function containersOf(spec: JsonObject): readonly Container[] {
  const lists = ['initContainers', 'containers', 'ephemeralContainers']
  return lists.flatMap((key) => listAt(spec, key).map((raw) => ({ name: textAt(raw, 'name') ?? '', raw })))
}

export const context = (holder: unknown, ...path: readonly string[]) => valueAt(holder, 'securityContext', ...path)

/** `container "a"`, `containers "a", "b"`. */
export function named(noun: string, names: readonly string[]): string {
  return `${noun}${names.length === 1 ? '' : 's'} ${quoted(names)}`
}

export function quoted(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(', ')
}

export const sorted = (values: Iterable<string>) => [...new Set(values)].sort()

/** A check of each container: `detail` gets the phrase for those that fail. */
export function eachContainer(
  spec: JsonObject,
  fails: (raw: unknown) => boolean,
  reason: string,
  detail: (containers: string, names: readonly string[]) => string,
): Violation | undefined {
  const names = containersOf(spec)
    .filter(({ raw }) => fails(raw))
    .map(({ name }) => name)
  return names.length === 0 ? undefined : { reason, detail: detail(named('container', names), names) }
}

/** The pod and the containers that set a forbidden value. */
export function setters(spec: JsonObject, path: readonly string[], isBad: (value: unknown) => boolean) {
  const names = containersOf(spec)
    .filter(({ raw }) => isBad(context(raw, ...path)))
    .map(({ name }) => name)
  const values = [context(spec, ...path), ...containersOf(spec).map(({ raw }) => context(raw, ...path))].filter(isBad)
  const phrases = [
    ...(isBad(context(spec, ...path)) ? ['pod'] : []),
    ...(names.length > 0 ? [named('container', names)] : []),
  ]
  return { phrase: phrases.join(' and '), values: sorted(values.map(String)) }
}

/** The containers for which neither they nor the pod set a good value. */
export function lacking(
  spec: JsonObject,
  path: readonly string[],
  isGood: (value: unknown) => boolean,
): readonly string[] {
  if (isGood(context(spec, ...path))) return []
  return containersOf(spec)
    .filter(({ raw }) => !isGood(context(raw, ...path)))
    .map(({ name }) => name)
}

export const hasOwnUsers = (spec: JsonObject) => spec['hostUsers'] === false

export const seccompPath = ['seccompProfile', 'type']
export const goodSeccomp = (value: unknown) => value === 'RuntimeDefault' || value === 'Localhost'
