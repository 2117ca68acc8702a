// Reads `helm --set` paths, as Argo CD, helmfile and Terraform have them: a.b[0].c, with a backslash before a dot in a key.
import { isJsonObject, type JsonObject, type Path } from '@dayfly/kit/read-json'
import { showPath, type Values } from '../values.ts'

export type Setting = {
  readonly name: string
  readonly value: unknown
  readonly isComputed: boolean
  readonly at: Path
}

const stepsMax = 30

function pathOf(name: string): Path {
  const steps = [...name.matchAll(/\[(\d{1,4})\]|((?:\\.|[^.[\]\\])+)/g)].slice(0, stepsMax)
  return steps.map(([, index, key = '']) => (index === undefined ? key.replace(/\\(.)/g, '$1') : Number(index)))
}

/** Returns the values that the settings make. */
export function valuesOfSettings(file: string, settings: readonly Setting[]): Values {
  let root: JsonObject = {}
  const places = new Map<string, Setting>()
  for (const setting of settings) {
    const path = pathOf(setting.name)
    if (path.length === 0) continue
    const made = withValue(root, path, setting.value)
    if (isJsonObject(made)) root = made
    places.set(JSON.stringify(path), setting)
  }
  const settingOf = (path: Path) => {
    for (let length = path.length; length > 0; length--) {
      const found = places.get(JSON.stringify(path.slice(0, length)))
      if (found) return found
    }
    return undefined
  }
  return {
    root,
    placeOf: (path) => ({ file, path: showPath(settingOf(path)?.at ?? path) }),
    isComputed: (path) => settingOf(path)?.isComputed ?? false,
  }
}

const indexMax = 1000

function withValue(into: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value
  if (typeof step === 'number') {
    const list = Array.isArray(into) ? [...into] : []
    const at = Math.min(step, indexMax)
    while (list.length <= at) list.push({})
    list[at] = withValue(list[at], rest, value)
    return list
  }
  const map = isJsonObject(into) ? into : {}
  const inner = Object.hasOwn(map, step) ? map[step] : undefined
  return Object.fromEntries([
    ...Object.entries(map).filter(([key]) => key !== step),
    [step, withValue(inner, rest, value)],
  ])
}

/** Reads a value as `--set` does: numbers, true, false and null are no texts. */
export function typedValue(text: string): unknown {
  if (/^-?\d{1,15}$/.test(text)) return Number(text)
  if (text === 'true' || text === 'false') return text === 'true'
  return text === 'null' ? null : text
}
