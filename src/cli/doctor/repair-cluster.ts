// A plan of repair as people read it, and its execution: what is done is told step by step, and kept in two files beside each other.
import { appendFileSync } from 'node:fs'
import path from 'node:path'
import { keepImagesIn } from '../../doctor/live/keep-image.ts'
import type { Plan } from '../../doctor/live/plan.ts'
import { type RepairOptions, repair } from '../../doctor/live/repair.ts'
import { describe } from '../../doctor/live/step.ts'
import { printNote } from '../output.ts'

export type RepairPlace = Pick<RepairOptions, 'kubernetes' | 'inquiry' | 'clock' | 'account'>

/** To stderr: the result is the report. */
export function showPlan({ steps, refused, guided, stays, deferred, blocked, digest }: Plan): void {
  printNote(steps.length === 0 ? 'plan: nothing to do' : `plan ${digest}:`)
  for (const { id, action, evidence } of steps) printNote(`  ${id}. ${describe(action)}, for ${evidence.says}`)
  for (const { object, because } of refused) printNote(`  not touched: ${object.kind} ${object.name}: ${because}`)
  for (const line of handWork(guided)) printNote(`  by hand: ${line}`)
  for (const what of stays) printNote(`  stays: ${what}`)
  if (deferred > 0) printNote(`  ${deferred} objects are left for the next run`)
  if (blocked !== undefined) printNote(`  blocked: ${blocked}`)
}

/** One line for each advice of a rule, however many objects it is for: runners come from few templates. */
function handWork(guided: Plan['guided']): readonly string[] {
  const objects = new Map<string, Set<string>>()
  for (const { rule, object, advice } of guided) {
    const key = `${rule}: ${advice}`
    const place = object.namespace === undefined ? '' : `${object.namespace}/`
    objects.set(key, (objects.get(key) ?? new Set()).add(`${object.kind} ${place}${object.name}`))
  }
  return [...objects].map(([line, names]) => {
    const [first = ''] = names
    const more = names.size > 1 ? ` and ${names.size - 1} more` : ''
    return `${first}${more}, ${line}`
  })
}

export function offer({ steps, blocked, digest }: Plan): void {
  if (blocked !== undefined || steps.length === 0) return
  printNote(`nothing is done yet; to do exactly this: --live --fix --confirm ${digest}`)
}

export async function carryOut(plan: Plan, place: RepairPlace, confirmed: string): Promise<number> {
  const images = path.resolve(`dayfly-doctor-${confirmed}.images.jsonl`)
  const log = path.resolve(`dayfly-doctor-${confirmed}.log.jsonl`)
  const outcome = await repair(plan, {
    ...place,
    confirmed,
    keepImage: keepImagesIn(images),
    log: (entry) => {
      appendFileSync(log, `${JSON.stringify(entry)}\n`, { mode: 0o600 })
      printNote(`  ${entry.step}. ${entry.outcome}: ${entry.action}${entry.why === '' ? '' : ` (${entry.why})`}`)
    },
  })
  if (outcome.refused !== undefined) {
    printNote(`refused: ${outcome.refused}`)
    return 5
  }
  if (outcome.entries.length > 0) printNote(`what was done: ${log}; the objects as they were: ${images}`)
  return outcome.entries.every((entry) => entry.outcome === 'done') ? 0 : 5
}
