// A confirmed plan is carried out: what is done is told step by step, and kept in two files beside each other.
import path from 'node:path'
import { keepLine } from '../../doctor/live/keep-lines.ts'
import type { Plan } from '../../doctor/live/plan.ts'
import { describeRemainder, lookAgain } from '../../doctor/live/remains.ts'
import {
  type RepairEntry,
  type RepairOptions,
  type RepairOutcome,
  refusalOf,
  repair,
} from '../../doctor/live/repair.ts'
import { count } from '../../doctor/reporters/wording.ts'
import { PortError } from '../../model/port-error.ts'
import { CliFailure } from '../failure.ts'
import { Interrupted, listenForInterruption } from '../interruption.ts'
import { printNote } from '../output.ts'
import { version as tool } from '../version.ts'

export type RepairPlace = Pick<RepairOptions, 'kubernetes' | 'inquiry' | 'clock' | 'account'>

/** The exit code. */
export async function carryOut(plan: Plan, place: RepairPlace, confirmed: string): Promise<number> {
  const refused = refusalOf(plan, confirmed)
  if (refused !== undefined) return tellRefusal(plan, refused)
  if (plan.steps.length === 0) return 0
  const files = await openFiles(plan, place)
  const interruption = listenForInterruption(({ exitCode }) => {
    printNote('ended at once: whether the last step was done is not known')
    process.exit(exitCode)
  })
  interruption.signal.addEventListener('abort', () =>
    printNote('interrupted: a step that has begun is finished first; interrupt again to end at once'),
  )
  try {
    const outcome = await repair(plan, {
      ...place,
      confirmed,
      signal: interruption.signal,
      keepImage: ({ id, rule }, image) => keepLine(files.images, { plan: confirmed, step: id, rule, image }),
      log: async (entry) => {
        await keepLine(files.log, { ...entry, at: timeOf(entry.at) })
        if (entry.outcome !== 'skipped') printNote(lineOf(entry))
      },
    })
    const code = tellOutcome(outcome, files, interruption.signal)
    await tellRemains(plan, place)
    return code
  } finally {
    interruption.release()
  }
}

type Files = { readonly log: string; readonly images: string }

/** The log begins with the plan, which also shows that it can be written before anything is done. */
async function openFiles({ digest, steps }: Plan, { clock }: RepairPlace): Promise<Files> {
  const log = path.resolve(`dayfly-doctor-${digest}.log.jsonl`)
  try {
    await keepLine(log, { at: timeOf(clock.now()), plan: digest, begins: steps.length, tool: `dayfly-doctor/${tool}` })
  } catch (cause) {
    throw new CliFailure({
      code: 'log-unwritable',
      sentence: `The log of the repair cannot be written: ${cause instanceof Error ? cause.message : 'unknown cause'}.`,
      next: 'Nothing was done. Run it in a folder of your own.',
      exitCode: 1,
      cause,
    })
  }
  return { log, images: path.resolve(`dayfly-doctor-${digest}.images.jsonl`) }
}

function tellRefusal({ blocked, digest, steps }: Plan, refused: string): number {
  printNote(`refused: ${refused}`)
  if (blocked === undefined) {
    const next = `to do what is planned now, run the same again with --confirm ${digest}`
    printNote(`nothing is done; ${steps.length > 0 ? next : 'nothing is planned now'}`)
  }
  return 5
}

function tellOutcome({ entries, stopped }: RepairOutcome, { log, images }: Files, signal: AbortSignal): number {
  const number = (outcome: RepairEntry['outcome']) => entries.filter((entry) => entry.outcome === outcome).length
  const skipped = number('skipped')
  const parts = [
    `${number('done')} of ${count(entries.length, 'step')} done`,
    ...(number('aborted') > 0 ? [`${number('aborted')} not done`] : []),
    ...(number('unknown') > 0 ? [`${number('unknown')} not known`] : []),
    ...(skipped > 0 ? [`${skipped} not begun`] : []),
  ]
  printNote(parts.join(', '))
  for (const why of new Set(entries.flatMap((entry) => (entry.outcome === 'skipped' ? entry.why : [])))) {
    printNote(`  not begun: ${why}`)
  }
  printNote(`what was done: ${log}; the objects as they were: ${images}`)
  if (number('done') === entries.length) return 0
  printNote('to go on, run it again without --confirm: it plans what is left')
  return stopped !== undefined && signal.reason instanceof Interrupted ? signal.reason.exitCode : 5
}

/** What of it is at the forge now; without an answer the plan's own lines are all that is known. */
async function tellRemains({ stays }: Plan, { account }: RepairPlace): Promise<void> {
  try {
    for (const what of await lookAgain(account, stays)) printNote(`  stays: ${describeRemainder(what)}`)
  } catch (error) {
    if (!(error instanceof PortError)) throw error
    printNote(`what stays at the forge is not known: ${error.message}`)
  }
}

function lineOf({ step, outcome, action, why }: RepairEntry): string {
  return `  ${step}. ${outcomes[outcome]}: ${action} (${why})`
}

const outcomes: Readonly<Record<RepairEntry['outcome'], string>> = {
  done: 'done',
  aborted: 'not done',
  unknown: 'not known',
  skipped: 'not begun',
}

function timeOf(at: number): string {
  return new Date(at).toISOString()
}
