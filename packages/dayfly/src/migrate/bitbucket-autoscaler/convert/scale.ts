// Converts the parameters of a group to the scale of a RunnerSet.
import type { JsonObject } from '@dayfly/kit/read-json'
import type { Configuration, Group } from '../configuration.ts'
import { below, isMapping, type Mapping, type Value } from '../yaml/value.ts'
import type { Ledger } from './ledger.ts'

export type Strategy = 'percentage' | 'idle-spares'

/** The bounds of the fields of spec.scale.percentageRunnersIdle, with the parameter that each comes from. */
const factors = [
  { field: 'scaleUpThreshold', old: 'scale_up_threshold', min: 0, max: 1 },
  { field: 'scaleDownThreshold', old: 'scale_down_threshold', min: 0, max: 1 },
  { field: 'scaleUpMultiplier', old: 'scale_up_multiplier', min: 1, max: 10 },
  { field: 'scaleDownMultiplier', old: 'scale_down_multiplier', min: 0, max: 1 },
] as const

export function convertScale(
  group: Group,
  source: Mapping,
  { constants }: Pick<Configuration, 'constants'>,
  { strategy, ledger }: { readonly strategy: Strategy; readonly ledger: Ledger },
): JsonObject {
  const parameters = source.get('parameters')
  const path = below(group.path, 'parameters')
  const given = isMapping(parameters) ? parameters : new Map<string, Value>()
  const note = (key: string, is: 'kept' | 'changed' | 'dropped', sentence: string) => {
    const value = given.get(key)
    if (value !== undefined) ledger.note(is, below(path, key), value, sentence)
  }
  const bounds = boundsOf(group.parameters)
  noteBound('min', bounds.min, { given: group.parameters.min, note })
  noteBound('max', bounds.max, { given: group.parameters.max, note })
  const percentage: Record<string, unknown> = {}
  for (const { field, old, min, max } of factors) {
    const value = group.parameters[field]
    const key = given.has(old) ? old : field
    const place = `spec.scale.percentageRunnersIdle.${field}`
    const fitting = Number.isNaN(value) ? min : Math.min(max, Math.max(min, value))
    percentage[field] = fitting
    if (strategy === 'idle-spares') {
      note(key, 'dropped', `Not taken over: ${old} is ${value}, and Dayfly keeps ${bounds.min} idle runners.`)
    } else if (fitting === value) note(key, 'kept', place)
    else note(key, 'changed', `${place}: ${fitting}, because the field is between ${min} and ${max}.`)
  }
  for (const [key, value] of given)
    ledger.note('dropped', below(path, key), value, 'The official tool ignores this key, too.')
  if (strategy === 'idle-spares') return bounds
  const coolDown = Math.min(99_999, Math.max(0, constants.coolDown))
  return { ...bounds, percentageRunnersIdle: { ...percentage, coolDown: `${coolDown}s` } }
}

/** Bitbucket fails a step without an online runner, so at least one waits. */
function boundsOf({ min, max }: Group['parameters']): { readonly min: number; readonly max: number } {
  const most = Math.min(Math.max(0, max), 2 ** 31 - 1)
  return { min: most === 0 ? 0 : Math.min(Math.max(1, min), most), max: most }
}

type Note = (key: string, is: 'kept' | 'changed', sentence: string) => void

function noteBound(
  key: 'min' | 'max',
  value: number,
  { given, note }: { readonly given: number; readonly note: Note },
): void {
  if (value === given) note(key, 'kept', `spec.scale.${key}`)
  else note(key, 'changed', `spec.scale.${key} is ${value}: a RunnerSet keeps at least 1 runner, and at most max.`)
}
