// The values of one release: what helm would give to the chart, and where each value is written.
import { isJsonObject, type JsonObject, type Path, valueAt } from '@dayfly/kit/read-json'
import { cleanText } from './clean-text.ts'

/** A place in a file of the input: `spec.values.template.spec.containers[0].image`. */
export type Place = { readonly file: string; readonly path: string }

export type Values = {
  readonly root: JsonObject
  /** @param path a path below `root` */
  readonly placeOf: (path: Path) => Place
  /** Whether a template computes the value there, so that it is not known. */
  readonly isComputed: (path: Path) => boolean
}

/** Returns values as they are at one place of a file. @param base the path of the values in the file */
export function valuesAt(file: string, base: Path, root: JsonObject, computed: readonly Path[] = []): Values {
  const keys = new Set(computed.map(keyOf))
  return {
    root,
    placeOf: (path) => ({ file, path: showPath([...base, ...path]) }),
    isComputed: (path) => keys.has(keyOf(path)),
  }
}

/** Merges as helm does: maps field by field, everything else is replaced, and null removes the value. Later values win. */
export function mergeValues(layers: readonly Values[]): Values {
  const [only] = layers
  if (only && layers.length === 1) return only
  const root = layers.reduce<JsonObject>((merged, layer) => mergeObjects(merged, layer.root), {})
  const layerOf = (path: Path) =>
    layers.findLast((layer) => valueAt(layer.root, ...path) !== undefined) ?? layers.at(-1)
  return {
    root,
    placeOf: (path) => layerOf(path)?.placeOf(path) ?? { file: '', path: showPath(path) },
    isComputed: (path) => layerOf(path)?.isComputed(path) ?? false,
  }
}

function mergeObjects(base: JsonObject, over: JsonObject): JsonObject {
  const merged = new Map(Object.entries(base))
  for (const [key, value] of Object.entries(over)) {
    const below = merged.get(key)
    if (value === null) merged.delete(key)
    else merged.set(key, isJsonObject(below) && isJsonObject(value) ? mergeObjects(below, value) : value)
  }
  return Object.fromEntries(merged)
}

/** Returns the part of the values below a key, for example those of one dependency of a chart. */
export function valuesBelow(values: Values, base: Path): Values {
  const root = valueAt(values.root, ...base)
  return {
    root: isJsonObject(root) ? root : {},
    placeOf: (path) => values.placeOf([...base, ...path]),
    isComputed: (path) => values.isComputed([...base, ...path]),
  }
}

/** Returns the path as a text without credentials, which broken YAML may put into a key. */
export function showPath(path: Path): string {
  return path.reduce<string>((shown, step) => {
    if (typeof step === 'number') return `${shown}[${step}]`
    const clean = cleanText(step)
    if (!/^[\w-]+$/.test(clean)) return `${shown}[${JSON.stringify(clean)}]`
    return shown === '' ? clean : `${shown}.${clean}`
  }, '')
}

/** Returns the paths of all scalars, and of lists and maps that are empty. */
export function leavesOf(value: unknown, path: Path): readonly Path[] {
  const members: readonly Path[] = Array.isArray(value)
    ? value.map((_, index) => [...path, index])
    : isJsonObject(value)
      ? Object.keys(value).map((key) => [...path, key])
      : []
  if (members.length === 0) return [path]
  return members.flatMap((member) => leavesOf(valueAt(value, member.at(-1) ?? ''), member))
}

export function keyOf(path: Path): string {
  return JSON.stringify(path)
}
