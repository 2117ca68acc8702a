// The checks of a new runner's name at a forge that would accept any name, also a second time.
import type { ForgeSet } from '@dayfly/runner-set/forge/forge'
import type { RestErrors } from './rest-errors.ts'

const nameOfPod = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** Throws `bad-config` for a name that is not of this set. */
export function checkName(name: string, { runnerPrefix }: ForgeSet, create: RestErrors['create']): void {
  if (nameOfPod.test(name) && name.startsWith(runnerPrefix)) return
  const rule = `The name of a runner of this set begins with ${runnerPrefix} and is the name of a pod`
  throw create('bad-config', `${rule}: ${name.slice(0, 80)} is not.`)
}

/** Throws `conflict` for a name that is registered. @param listed undefined while the runners are not known, which is `unavailable` */
export function checkFree(
  name: string,
  listed: { readonly runners: readonly { readonly name: string }[] } | undefined,
  create: RestErrors['create'],
): void {
  if (!listed) throw create('unavailable', 'The runners of the account are not known yet.')
  if (!listed.runners.some((runner) => runner.name === name)) return
  throw create('conflict', `A runner of the name ${name} is registered. Use a new name.`)
}
