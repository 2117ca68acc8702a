// Values that are made of the fields of other objects. Each keeps the place of its field.
import type { JsonObject, Path } from '@dayfly/kit/read-json'
import { keyOf, type Values } from '../values.ts'

type Origin = { readonly from: Values; readonly path: Path }

/** A part of the values, and the field that it is. */
export type Part = { readonly to: Path; readonly from: Values; readonly path: Path }

export function placedValues(root: JsonObject, parts: readonly Part[], file: string): Values {
  const origins = new Map<string, Origin>()
  for (const { to, from, path } of parts) {
    if (!origins.has(keyOf(to))) origins.set(keyOf(to), { from, path })
  }
  const originOf = (path: Path): Origin | undefined => {
    for (let length = path.length; length > 0; length--) {
      const origin = origins.get(keyOf(path.slice(0, length)))
      if (origin) return { from: origin.from, path: [...origin.path, ...path.slice(length)] }
    }
    return undefined
  }
  return {
    root,
    placeOf: (path) => {
      const origin = originOf(path)
      return origin ? origin.from.placeOf(origin.path) : { file, path: '' }
    },
    isComputed: (path) => {
      const origin = originOf(path)
      return origin?.from.isComputed(origin.path) ?? false
    },
  }
}
