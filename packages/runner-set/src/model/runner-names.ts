// The names of a set's runners. The controller makes them, and others find the runners by them.
import { hashText } from '@dayfly/kit/hash'

/** The container of a runner's pod that is the runner. */
export const runnerContainer = 'runner'

/** Returns the names without their random part: the set's name, cut, and a hash of its UID. No two sets share one. */
export function runnerPrefix(set: { readonly name: string; readonly uid: string }): string {
  return `${set.name
    .slice(0, 40)
    .replace(/[.-]+$/, '')
    .replace(/\./g, '-')}-${hashText(set.uid, 5)}-`
}
