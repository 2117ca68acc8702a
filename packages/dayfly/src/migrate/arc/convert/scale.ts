// Converts the limits on the number of runners, and the overrides of the least one. Both count in the same way: idle runners come on top of those with a job.
import type { JsonObject } from '@dayfly/kit/read-json'
import type { Context } from './context.ts'
import { convertOverrides } from './overrides.ts'

/** The greatest number that both accept. ARC uses it if there is no limit. */
const unlimited = 2_147_483_647

export function convertScale(context: Context): JsonObject {
  const max = countAt(context, 'maxRunners') ?? unlimited
  const min = countAt(context, 'minRunners') ?? 0
  noteMax(context)
  const bounded = Math.min(min, max)
  if (bounded === min) noteMin(context)
  else {
    const why = 'because it may not be above the maximum'
    context.ledger.note('changed', ['minRunners'], `spec.scale.min: ${bounded}, ${why}.`)
  }
  const schedule = context.isOld ? convertOverrides(context, max) : undefined
  return { ...(bounded > 0 ? { min: bounded } : {}), max, ...(schedule ? { schedule } : {}) }
}

function noteMax(context: Context): void {
  const { values, ledger, isOld } = context
  const { maxRunners } = values.root
  const absent = isOld ? 'The autoscaler has no maximum here.' : 'ARC has no limit here.'
  if (isAbsent(maxRunners)) ledger.say('decide', ['maxRunners'], `${absent} ${noLimit}`)
  else if (countAt(context, 'maxRunners') === undefined)
    ledger.note('decide', ['maxRunners'], `${unclear(context, 'maxRunners')} ${noLimit}`)
  else ledger.note(...verdictOn(maxRunners, 'maxRunners', 'spec.scale.max'))
}

function noteMin(context: Context): void {
  const { values, ledger, isOld } = context
  const { minRunners } = values.root
  if (!isAbsent(minRunners) && countAt(context, 'minRunners') === undefined) {
    ledger.note('decide', ['minRunners'], `${unclear(context, 'minRunners')} spec.scale.min is 0: write a number.`)
  } else if (isOld) {
    ledger.note(
      'changed',
      ['minRunners'],
      'spec.scale.min: so many idle runners in addition to those with a job, and at most max together.',
    )
  } else ledger.note(...verdictOn(minRunners, 'minRunners', 'spec.scale.min'))
}

function unclear({ values }: Context, key: string): string {
  return values.isComputed([key]) ? 'A template computes it.' : 'It is no number.'
}

const noLimit = `Dayfly needs one: ${unlimited} in spec.scale.max limits nothing, so write what your nodes can hold.`

function verdictOn(value: unknown, key: string, place: string): ['kept' | 'changed', [string], string] {
  if (typeof value !== 'string') return ['kept', [key], place]
  return ['changed', [key], `${place}. ARC's chart ignores a number in quotes, and Dayfly has it.`]
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

function countAt({ values }: Context, key: string): number | undefined {
  const value = values.root[key]
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value
  const isCount = typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= unlimited
  return isCount ? number : undefined
}
