// Reads logs and waits, for tests of real processes.
import { systemClock } from '@dayfly/kit/system'
import type { Runtime } from '../runtime.ts'

export const wholeLog: Parameters<Runtime['logs']>[1] = {
  ...{ follow: false, timestamps: false, tailLines: undefined },
  ...{ since: undefined, limitBytes: undefined },
}

/** Joins the parts of a log. */
export async function textOf(parts: AsyncIterable<string>): Promise<string> {
  let all = ''
  for await (const part of parts) all += part
  return all
}

/** Resolves with the first value that `look` finds. Throws if it finds none within five seconds. */
export async function eventually<T>(look: () => T | undefined | false): Promise<T> {
  for (let tries = 0; tries < 500; tries++) {
    const found = look()
    if (found !== undefined && found !== false) return found
    await systemClock().sleep(10)
  }
  throw new Error(`never true: ${look}`)
}
