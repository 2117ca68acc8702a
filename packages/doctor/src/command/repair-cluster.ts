// Carries out a confirmed plan. Prints each step, and writes an action log and the objects' previous states to two files.
import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { CliFailure } from '@dayfly/command-line/failure'
import { Interrupted, listenForInterruption } from '@dayfly/command-line/interruption'
import { printNote } from '@dayfly/command-line/output'
import { version as tool } from '@dayfly/command-line/version'
import { PortError } from '@dayfly/runner-set/model/port-error'
import { keepLine } from '../live/keep-lines.ts'
import type { Plan } from '../live/plan.ts'
import { describeRemainder, lookAgain } from '../live/remains.ts'
import { type RepairEntry, type RepairOptions, type RepairOutcome, refusalOf, repair } from '../live/repair.ts'
import { count } from '../report/wording.ts'
import { stateFolder } from './state-folder.ts'

export type RepairPlace = Pick<RepairOptions, 'kubernetes' | 'inquiry' | 'clock' | 'account'>

/** Returns the exit code. */
export async function carryOut(plan: Plan, place: RepairPlace, confirmed: string): Promise<number> {
  const refused = refusalOf(plan, confirmed)
  if (refused !== undefined) return reportRefusal(plan, refused)
  if (plan.steps.length === 0) return 0
  const files = await openFiles(plan, place)
  const interruption = listenForInterruption(({ exitCode }) => {
    printNote('ended at once: it is not known whether the last step was done')
    process.exit(exitCode)
  })
  interruption.signal.addEventListener('abort', () =>
    printNote('interrupted: the current step is finished first; interrupt again to end at once'),
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
    const code = reportOutcome(outcome, files, interruption.signal)
    await reportRemains(plan, place)
    return code
  } finally {
    interruption.release()
  }
}

type Files = { readonly log: string; readonly images: string }

/** Writes the first line of the log before anything is done, so that an unwritable log stops the repair. */
async function openFiles({ digest, steps }: Plan, { clock }: RepairPlace): Promise<Files> {
  const folder = stateFolder(process.env, homedir())
  const log = path.join(folder, `doctor-${digest}.log.jsonl`)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    await keepLine(log, { at: timeOf(clock.now()), plan: digest, begins: steps.length, tool: `dayfly-doctor/${tool}` })
  } catch (cause) {
    throw new CliFailure({
      code: 'log-unwritable',
      sentence: `The log of the repair cannot be written: ${cause instanceof Error ? cause.message : 'unknown cause'}.`,
      next: 'Nothing was done. Set XDG_STATE_HOME to a folder that you can write to.',
      exitCode: 1,
      cause,
    })
  }
  return { log, images: path.join(folder, `doctor-${digest}.images.jsonl`) }
}

function reportRefusal({ blocked, digest, steps }: Plan, refused: string): number {
  printNote(`refused: ${refused}`)
  if (blocked === undefined) {
    const next = `to carry out the current plan, run the same command with --confirm ${digest}`
    printNote(`nothing is done; ${steps.length > 0 ? next : 'the current plan has no step'}`)
  }
  return 5
}

function reportOutcome({ entries, stopped }: RepairOutcome, { log, images }: Files, signal: AbortSignal): number {
  const number = (outcome: RepairEntry['outcome']) => entries.filter((entry) => entry.outcome === outcome).length
  const skipped = number('skipped')
  const parts = [
    `${number('done')} of ${count(entries.length, 'step')} done`,
    ...(number('begun') > 0 ? [`${number('begun')} begun, and the object still exists`] : []),
    ...(number('aborted') > 0 ? [`${number('aborted')} not done`] : []),
    ...(number('unknown') > 0 ? [`${number('unknown')} not known`] : []),
    ...(skipped > 0 ? [`${skipped} not begun`] : []),
  ]
  printNote(parts.join(', '))
  for (const why of new Set(entries.flatMap((entry) => (entry.outcome === 'skipped' ? entry.why : [])))) {
    printNote(`  not begun: ${why}`)
  }
  printNote(`action log: ${log}; previous states of the objects: ${images}`)
  if (number('done') === entries.length) return 0
  printNote('to continue, run it again without --confirm: it plans the remaining steps')
  return stopped !== undefined && signal.reason instanceof Interrupted ? signal.reason.exitCode : 5
}

/** Prints the records that still exist at the forge. */
async function reportRemains({ stays }: Plan, { account }: RepairPlace): Promise<void> {
  try {
    for (const remainder of await lookAgain(account, stays)) printNote(`  stays: ${describeRemainder(remainder)}`)
  } catch (error) {
    if (!(error instanceof PortError)) throw error
    printNote(`it is not known which records stay at the forge: ${error.message}`)
  }
}

function lineOf({ step, outcome, action, why }: RepairEntry): string {
  return `  ${step}. ${outcomes[outcome]}: ${action} (${why})`
}

const outcomes: Readonly<Record<RepairEntry['outcome'], string>> = {
  done: 'done',
  begun: 'begun',
  aborted: 'not done',
  unknown: 'not known',
  skipped: 'not begun',
}

function timeOf(at: number): string {
  return new Date(at).toISOString()
}
