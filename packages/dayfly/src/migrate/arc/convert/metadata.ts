// Converts labels and annotations: those of the pods, and those of the set.
import { fieldsAt, isJsonObject, type JsonObject, type Path, valueAt } from '@dayfly/kit/read-json'
import type { Context } from './context.ts'

/** Returns the metadata of the pods. ARC gives them the labels of the set, and what its own objects in between have. */
export function convertMetadata(context: Context): JsonObject {
  const { values, ledger } = context
  const base: Path = ['template', 'metadata']
  const metadata = fieldsAt(values.root, ...base) ?? {}
  for (const key of Object.keys(metadata)) {
    if (key === 'labels' || key === 'annotations') continue
    ledger.note('dropped', [...base, key], "ARC's chart takes labels and annotations only, and so does Dayfly.")
  }
  const passed = (key: 'labels' | 'annotations') => ({
    ...textsBelow(context, ['resourceMeta', 'ephemeralRunnerSet', key]),
    ...textsBelow(context, ['resourceMeta', 'ephemeralRunner', key]),
    ...textsBelow(context, [...base, key]),
  })
  return group({ ...ownTexts(context, 'labels'), ...passed('labels') }, passed('annotations'))
}

/** Returns labels and annotations of the RunnerSet itself. */
export function convertOwnMetadata(context: Context): JsonObject {
  return group(ownTexts(context, 'labels'), ownTexts(context, 'annotations'))
}

function ownTexts(context: Context, key: 'labels' | 'annotations'): Readonly<Record<string, string>> {
  return { ...textsBelow(context, [key]), ...textsBelow(context, ['resourceMeta', 'autoscalingRunnerSet', key]) }
}

function group(labels: JsonObject, annotations: JsonObject): JsonObject {
  return {
    ...(Object.keys(labels).length > 0 ? { labels } : {}),
    ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
  }
}

const reserved =
  /^(actions\.github\.com\/|app\.kubernetes\.io\/(name|instance|managed-by|part-of|component|version)$|helm\.sh\/chart$)/

/** A value of a label. An annotation may be any text. */
const labelValue = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/

/** Returns the labels or the annotations at a path. Kubernetes accepts texts only. */
function textsBelow({ values, ledger }: Context, path: Path): Readonly<Record<string, string>> {
  const given = valueAt(values.root, ...path)
  if (!isJsonObject(given)) {
    if (!isNothing(given))
      ledger.note(
        'decide',
        path,
        `It is no map of ${path.at(-1)}, so the chart cannot use it. Labels for runs-on are scaleSetLabels.`,
      )
    return {}
  }
  const isOfPod = path[0] === 'template'
  const isLabel = path.at(-1) === 'labels'
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      const at = [...path, name]
      if (typeof value === 'object') {
        ledger.note('dropped', at, 'It is no text.')
        return []
      }
      if (!isOfPod && reserved.test(name)) {
        ledger.note('dropped', at, 'It belongs to ARC or to its Helm release.')
        return []
      }
      if (isLabel && !labelValue.test(String(value))) {
        ledger.note(
          'decide',
          at,
          'It is not in the RunnerSet, because Kubernetes accepts no such label. Write the label that it stands for.',
        )
        return []
      }
      if (typeof value !== 'string')
        ledger.note('changed', at, 'It is in quotes now, because Kubernetes accepts texts only.')
      return [[name, String(value)]]
    }),
  )
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}
