// The limits of a repair, from the command line.
import { InvalidArgumentError, Option } from 'commander'
import type { Permissions } from '../live/permissions.ts'
import { type PlanOptions, planDefaults } from '../live/plan-options.ts'

export type RepairLimits = {
  readonly maxObjects?: number
  readonly maxObjectsPerNamespace?: number
  /** Percent. */
  readonly maxRunnerShare?: number
  readonly removeFinalizers?: true
  readonly endIdleRunners?: true
}

const { objectsMax, objectsPerNamespaceMax, runnerShareMax, runnersAlways } = planDefaults

export function repairOptions(): readonly Option[] {
  const most = (flag: string, text: string, standard: number) =>
    new Option(flag, `with --live --fix: ${text}; default: ${standard}`)
  return [
    most('--max-objects <n>', 'change at most this many objects', objectsMax).argParser(countOf),
    most(
      '--max-objects-per-namespace <n>',
      'change at most this many objects of a namespace',
      objectsPerNamespaceMax,
    ).argParser(countOf),
    most(
      '--max-runner-share <percent>',
      `do nothing if the plan deletes more than ${runnersAlways} runners and more than this share of all`,
      runnerShareMax * 100,
    ).argParser(percentOf),
    new Option(
      '--remove-finalizers',
      "with --live --fix: ARC's controller will not come back; remove its finalizers one at a time",
    ),
    new Option(
      '--end-idle-runners',
      'with --remove-finalizers: also end runners that run and are idle; GitHub removes each registration first',
    ),
  ]
}

export function isLimited(limits: RepairLimits): boolean {
  const { maxObjects, maxObjectsPerNamespace, maxRunnerShare, removeFinalizers, endIdleRunners } = limits
  return (maxObjects ?? maxObjectsPerNamespace ?? maxRunnerShare ?? removeFinalizers ?? endIdleRunners) !== undefined
}

export function planOptionsOf(limits: RepairLimits, permissions: Permissions): PlanOptions {
  return {
    ...planDefaults,
    permissions,
    objectsMax: limits.maxObjects ?? objectsMax,
    objectsPerNamespaceMax: limits.maxObjectsPerNamespace ?? objectsPerNamespaceMax,
    runnerShareMax: limits.maxRunnerShare === undefined ? runnerShareMax : limits.maxRunnerShare / 100,
    restoreDeclined: limits.removeFinalizers === true,
    idleRunnersEnd: limits.endIdleRunners === true,
  }
}

function countOf(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 1 to 999999.')
}

function percentOf(text: string): number {
  if (/^(100|\d{1,2})$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 0 to 100.')
}
