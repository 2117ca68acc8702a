// The names of a set's runners. The controller makes them, and others find the runners by them.
import { hashText } from '@dayfly/kit/hash'

/** The container of a runner's pod that is the runner. */
export const runnerContainer = 'runner'

/** The name of the set, a hash of its UID, and ten random characters. */
const form = /^([a-z0-9][a-z0-9-]*)-[0-9a-f]{5}-[bcdfghjklmnpqrstvwxz2456789]{10}$/

/** Returns the name of the set in a runner's name, cut as in `runnerPrefix`; undefined if Dayfly makes no such names. */
export function setNameIn(runner: string): string | undefined {
  return form.exec(runner)?.[1]
}

/** Returns the names without their random part: the set's name, cut, and a hash of its UID. No two sets share one. */
export function runnerPrefix(set: { readonly name: string; readonly uid: string }): string {
  return `${set.name
    .slice(0, 40)
    .replace(/[.-]+$/, '')
    .replace(/\./g, '-')}-${hashText(set.uid, 5)}-`
}
