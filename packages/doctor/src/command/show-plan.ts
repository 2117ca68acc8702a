// Prints the plan of a repair: its steps, the findings that it does not repair, and the work that is left to the operator.
import { printNote } from '@dayfly/command-line/output'
import { doctorName } from '../doctor-name.ts'
import type { ObjectRef } from '../finding.ts'
import type { Permissions } from '../live/permissions.ts'
import type { Plan } from '../live/plan.ts'
import { describeRemainder } from '../live/remains.ts'
import { describe } from '../live/step.ts'
import { count } from '../report/wording.ts'

/** Prints to stderr, because the result is the report. */
export function showPlan(plan: Plan, { unknown }: Permissions): void {
  const { steps, denied, unrecorded, refused, guided, stays, deferred, blocked, digest } = plan
  printNote(
    steps.length > 0
      ? `plan ${digest}:`
      : denied.length > 0
        ? 'plan: nothing that you are allowed to do'
        : 'plan: nothing to do',
  )
  for (const { id, action, evidence } of steps) printNote(`  ${id}. ${describe(action)}: ${evidence.says}`)
  for (const line of grouped(denied.map(({ action, because }) => [describe(action), because]))) {
    printNote(`  not allowed: ${line}`)
  }
  if (denied.length > 0) {
    const rules = [...new Set(denied.map(({ rule }) => rule))].join(',')
    printNote(`  "${doctorName} rbac --fixes ${rules}" prints the role that allows it`)
  }
  if (unknown !== undefined && steps.length > 0) {
    printNote(`  your permissions are not fully known (${unknown}): the API server may still refuse a step`)
  }
  for (const namespace of unrecorded)
    printNote(`  no Event will record the repair in ${namespace}: you may not create events there`)
  for (const line of grouped(refused.map(({ object, because }) => [nameOf(object), because]))) {
    printNote(`  not touched: ${line}`)
  }
  const byHand = guided.map(({ rule, object, advice }) => [nameOf(object), `${rule}: ${advice}`] as const)
  for (const line of grouped(byHand, ', ')) printNote(`  by hand: ${line}`)
  for (const remainder of stays) printNote(`  stays: ${describeRemainder(remainder)}`)
  if (deferred > 0) {
    printNote(`  left for the next run: ${count(deferred, 'object')} (--max-objects, --max-objects-per-namespace)`)
  }
  if (blocked !== undefined) printNote(`  blocked: ${blocked} (--max-runner-share)`)
}

/** Prints the command that carries the plan out. */
export function offerPlan({ steps, blocked, digest }: Plan): void {
  if (blocked !== undefined || steps.length === 0) return
  printNote(`nothing is done yet; to carry out exactly this plan, run the same command with --confirm ${digest}`)
}

function nameOf({ kind, namespace, name }: ObjectRef): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
}

/** Returns one line for each reason. Runners come from few templates, so many share a reason. */
function grouped(lines: readonly (readonly [what: string, why: string])[], separator = ': '): readonly string[] {
  const byReason = new Map<string, Set<string>>()
  for (const [what, why] of lines) byReason.set(why, (byReason.get(why) ?? new Set()).add(what))
  return [...byReason].map(([why, names]) => {
    const [first = ''] = names
    const more = names.size > 1 ? ` and ${names.size - 1} more` : ''
    return `${first}${more}${separator}${why}`
  })
}
