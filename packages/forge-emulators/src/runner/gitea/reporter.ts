// Reports the log and the steps of a task to Gitea: one call at a time, each one repeated until the server has it.
import { backoffMs } from '@dayfly/kit/backoff'
import type { Clock } from '@dayfly/kit/clock'
import type { Random } from '@dayfly/kit/random'
import { textAt } from '@dayfly/kit/read-json'
import type { JobReport } from '../../job.ts'
import type { StepEvent } from '../job-state.ts'
import { waitLimits } from '../session.ts'
import { createAlarm } from './alarm.ts'
import { createPendingRows } from './pending-rows.ts'
import { resultOf } from './read-task.ts'
import type { Rpc, RpcAnswer } from './rpc.ts'
import { createStepStates, stamp } from './step-states.ts'

/** `over`: the server ended the task before the runner did. `undelivered`: the server does not know the result. */
export type Delivery = 'delivered' | 'over' | 'undelivered'

export interface Reporter {
  /** Adds lines to the log. */
  addLines(lines: readonly string[]): void
  /** Reports a step at once. */
  addEvent(event: StepEvent): void
  /** Whether the server is behind with the log. */
  readonly isBehind: boolean
  /** Sends the rest of the log, and then the result. Resolves when the server has both, or when the runner gives up. */
  end(report: TaskEnd): Promise<Delivery>
}

type TaskEnd = Pick<JobReport, 'conclusion' | 'outputs'>

export type ReportedTask = {
  readonly id: string
  readonly stepCount: number
  /** The lines of the log before the first step. */
  readonly setUp: readonly string[]
}

export type ReporterParts = {
  readonly clock: Clock
  readonly random: Random
  readonly rpc: Rpc
  /** Called when the server has ended the task. */
  onOver(why: string): void
}

/** The server gives up a task after minutes of silence. Gitea's own runner reports in the same interval. */
const reportMs = 5_000
/** The longest time that a line waits for its call. */
const logMs = 1_000
const retries = { baseMs: 500, capMs: 5_000 }
/** The characters that wait when the server counts as behind. */
const behindChars = 2 * 1024 * 1024

/** Starts to report. The reporter works until the server has ended the task, or `end` has resolved. */
export function createReporter(task: ReportedTask, parts: ReporterParts): Reporter {
  const { clock } = parts
  const log = createPendingRows()
  log.add(task.setUp, clock.now())
  const steps = createStepStates(task.stepCount, log.total)
  const alarm = createAlarm(clock)
  const work: Work = { task, parts, log, steps, alarm, startedAt: clock.now(), end: undefined, endLost: false }
  const done = deliver(work)
  return {
    addLines: (lines) => {
      log.add(lines, clock.now())
      alarm.within(logMs)
    },
    addEvent: (event) => {
      steps.add(event, log.total)
      alarm.within(0)
    },
    get isBehind() {
      return log.chars > behindChars
    },
    end: async (report) => {
      steps.close(report.conclusion === 'skipped' ? 'skipped' : 'cancelled')
      work.end = { ...report, at: clock.now() }
      alarm.within(0)
      return await done
    },
  }
}

type Work = {
  readonly task: ReportedTask
  readonly parts: ReporterParts
  readonly log: ReturnType<typeof createPendingRows>
  readonly steps: ReturnType<typeof createStepStates>
  readonly alarm: ReturnType<typeof createAlarm>
  readonly startedAt: number
  end: (TaskEnd & { readonly at: number }) | undefined
  /** Whether the answer to a call with the result was lost. */
  endLost: boolean
}

async function deliver(work: Work): Promise<Delivery> {
  const { alarm, parts } = work
  const { clock, random, onOver } = parts
  for (let attempt = 0; ; ) {
    const { end } = work
    const problem = await report(work)
    if (!problem && end) return finish('delivered')
    if (problem?.is === 'unregistered' && work.endLost) return finish('delivered')
    if (problem?.is === 'unregistered') {
      onOver(problem.why)
      return finish('over')
    }
    if (problem && end && clock.now() >= end.at + waitLimits.unreachableMs) return finish('undelivered')
    attempt = problem ? attempt + 1 : 0
    if (problem) await clock.sleep(backoffMs(retries, attempt, random))
    else {
      alarm.within(reportMs)
      await alarm.next()
    }
  }
  function finish(delivery: Delivery): Delivery {
    alarm.cancel()
    return delivery
  }
}

type Problem = Exclude<RpcAnswer, { readonly is: 'answered' }>

/** Sends everything that waits. Returns the first problem. */
async function report(work: Work): Promise<Problem | undefined> {
  const { end, log } = work
  let problem: Problem | undefined
  while (!problem && log.batch().rows.length > 0) problem = await sendLog(work)
  // The result ends the registration, and with it the right to send the log.
  if (problem?.is === 'unregistered' || (problem && end)) return problem
  return (await sendState(work, end)) ?? problem
}

async function sendLog({ task, parts, log, end }: Work): Promise<Problem | undefined> {
  const { index, rows, isLast } = log.batch()
  const answer = await parts.rpc('UpdateLog', { taskId: task.id, index, rows, noMore: isLast && end !== undefined })
  if (answer.is !== 'answered') return answer
  if (log.acknowledge(Number(answer.value['ackIndex'] ?? 0))) return undefined
  return { is: 'failed', why: 'the server does not acknowledge the log' }
}

async function sendState(work: Work, end: Work['end']): Promise<Problem | undefined> {
  const { task, parts, steps, log, startedAt } = work
  const state = { id: task.id, startedAt: stamp(startedAt), steps: steps.messages(log.total) }
  const ended = end && { result: resultOf(end.conclusion), stoppedAt: stamp(end.at) }
  const answer = await parts.rpc('UpdateTask', { state: { ...state, ...ended }, outputs: end?.outputs ?? {} })
  if (end && answer.is === 'lost') work.endLost = true
  if (answer.is !== 'answered') return answer
  const result = textAt(answer.value, 'state', 'result') ?? 'RESULT_UNSPECIFIED'
  if (end || result === 'RESULT_UNSPECIFIED') return undefined
  return { is: 'unregistered', why: `the server has ended the task with ${result}` }
}
