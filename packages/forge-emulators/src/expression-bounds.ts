// Bounds those functions of GitHub whose results can grow. A short expression such as
// `format('{0}{0}', format('{0}{0}', …))` could otherwise need gigabytes.
import { data, wellKnownFunctions } from '@actions/expressions'
import type { FunctionDefinition } from '@actions/expressions/funcs/info'

/** The maximum number of characters of an evaluated text. GitHub also limits an evaluation to a few MiB. */

export const textMax = 4 * 1024 * 1024

export const boundedFunctions: readonly FunctionDefinition[] = [
  bounded('format', ([text, ...values]) => {
    const longest = Math.max(0, ...values.map(sizeOf))
    return sizeOf(text) + (text?.coerceString().split('{').length ?? 0) * longest
  }),
  bounded('join', ([list, separator]) => {
    const items = list instanceof data.Array ? list.values() : []
    return items.reduce((sum, item) => sum + sizeOf(item) + sizeOf(separator), sizeOf(list))
  }),
  bounded('tojson', ([value]) => sizeOf(value)),
]

function bounded(
  name: string,
  estimate: (args: readonly (data.ExpressionData | undefined)[]) => number,
): FunctionDefinition {
  const original = wellKnownFunctions[name]
  if (!original) throw new Error(`the expression library has no function ${name}`)
  return {
    ...original,
    call: (...args) => {
      if (estimate(args) > textMax) throw tooLarge()
      const result = original.call(...args)
      if (sizeOf(result) > textMax) throw tooLarge()
      return result
    },
  }
}

function sizeOf(value: data.ExpressionData | undefined): number {
  return value?.primitive ? value.coerceString().length : 8
}

function tooLarge(): Error {
  return new Error(`its result would be larger than ${textMax} characters`)
}
