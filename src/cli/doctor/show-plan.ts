// A plan of repair as people read it: what would be done, what not and why, and what is left to them.
import type { ObjectRef } from '../../doctor/finding.ts'
import type { Permissions } from '../../doctor/live/permissions.ts'
import type { Plan } from '../../doctor/live/plan.ts'
import { describeRemainder } from '../../doctor/live/remains.ts'
import { describe } from '../../doctor/live/step.ts'
import { count } from '../../doctor/reporters/wording.ts'
import { printNote } from '../output.ts'

/** To stderr: the result is the report. */
export function showPlan(plan: Plan, { unknown }: Permissions): void {
  const { steps, denied, mute, refused, guided, stays, deferred, blocked, digest } = plan
  printNote(
    steps.length > 0 ? `plan ${digest}:` : denied.length > 0 ? 'plan: nothing that you may do' : 'plan: nothing to do',
  )
  for (const { id, action, evidence } of steps) printNote(`  ${id}. ${describe(action)}, for ${evidence.says}`)
  for (const line of grouped(denied.map(({ action, because }) => [describe(action), because]))) {
    printNote(`  not allowed, so not done: ${line}`)
  }
  if (denied.length > 0) {
    const rules = [...new Set(denied.map(({ rule }) => rule))].join(',')
    printNote(`  "dayfly doctor rbac --fixes ${rules}" prints the role that allows it`)
  }
  if (unknown !== undefined && steps.length > 0) {
    printNote(`  whether you may do all of it is not known (${unknown}): what is refused is said when it comes`)
  }
  for (const namespace of mute) printNote(`  no event will tell of it in ${namespace}: you may not create events there`)
  for (const line of grouped(refused.map(({ object, because }) => [nameOf(object), because]))) {
    printNote(`  not touched: ${line}`)
  }
  const byHand = guided.map(({ rule, object, advice }) => [nameOf(object), `${rule}: ${advice}`] as const)
  for (const line of grouped(byHand, ', ')) printNote(`  by hand: ${line}`)
  for (const what of stays) printNote(`  stays: ${describeRemainder(what)}`)
  if (deferred > 0) {
    printNote(`  left for the next run: ${count(deferred, 'object')} (--max-objects, --max-objects-per-namespace)`)
  }
  if (blocked !== undefined) printNote(`  blocked: ${blocked} (--max-runner-share)`)
}

/** What it takes to carry the plan out. */
export function offer({ steps, blocked, digest }: Plan): void {
  if (blocked !== undefined || steps.length === 0) return
  printNote(`nothing is done yet; to do exactly this, run the same again with --confirm ${digest}`)
}

function nameOf({ kind, namespace, name }: ObjectRef): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
}

/** One line for each reason, however many things it is for: runners come from few templates. */
function grouped(lines: readonly (readonly [what: string, why: string])[], separator = ': '): readonly string[] {
  const byReason = new Map<string, Set<string>>()
  for (const [what, why] of lines) byReason.set(why, (byReason.get(why) ?? new Set()).add(what))
  return [...byReason].map(([why, names]) => {
    const [first = ''] = names
    const more = names.size > 1 ? ` and ${names.size - 1} more` : ''
    return `${first}${more}${separator}${why}`
  })
}
