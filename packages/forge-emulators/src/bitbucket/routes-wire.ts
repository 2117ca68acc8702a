// The routes of a runner's process: it comes online, asks for steps, and reports (packages/forge-emulators/src/bitbucket/runner-wire.md).
import { type Answer, jsonAnswer, type Method } from '@dayfly/kit/http'
import * as z from 'zod'
import { keepLines, logLinesMax } from '../server/kept-log.ts'
import { type Call, emptyAnswer, type Route } from '../server/router.ts'
import { basicOf } from './credentials.ts'
import type { Emulation } from './emulation.ts'
import { bitbucketError, noSuchRunner } from './refusal.ts'
import { hearRunner } from './runners.ts'
import { settle } from './settle.ts'
import type { Runner, Step } from './state.ts'
import { stepMessage } from './step-message.ts'
import { completeStep, startStep } from './steps.ts'

export function wireRoutes(emulation: Emulation): readonly Route[] {
  const route = (method: Method, pattern: string, run: (runner: Runner, call: Call) => Answer): Route => ({
    method,
    pattern: `/runner/:runner/${pattern}`,
    run: (call) => {
      const runner = authorizeRunner(emulation, call)
      hearRunner(emulation, runner)
      settle(emulation)
      const answer = run(runner, call)
      settle(emulation)
      return answer
    },
  })
  return [
    route('PUT', 'state', () => jsonAnswer(200, paceOf(emulation))),
    route('GET', 'step', (runner) => giveStep(emulation, runner)),
    route('POST', 'steps/:step/renew', (runner, call) => reported(runner, call, () => {})),
    route('POST', 'steps/:step/log', (runner, call) =>
      reported(runner, call, ({ log }) => keepLines(log, read(linesSchema, call).lines)),
    ),
    route('POST', 'steps/:step/result', (runner, call) =>
      reported(runner, call, (step) => {
        const { status, error } = read(resultSchema, call)
        completeStep(emulation, step, status === 'PASSED' ? 'SUCCESSFUL' : 'FAILED', error)
      }),
    ),
  ]
}

function authorizeRunner({ state }: Emulation, call: Call): Runner {
  const uuid = /^\{(.+)\}$/.exec(call.params['runner'] ?? '')?.[1] ?? ''
  const runner = state.runners.get(uuid)
  if (!runner) throw noSuchRunner()
  const [id, secret] = basicOf(call)
  if (id !== runner.client.id || secret !== runner.client.secret) {
    throw bitbucketError(401, 'The OAuth client of the runner is not valid.')
  }
  return runner
}

const renewLimits = { leastMs: 500, mostMs: 10_000 } as const

/** Returns the intervals in which the process asks for steps, and in which it reports that a step goes on. */
function paceOf({ knobs: { pickUpMs } }: Emulation): object {
  return { pickUpMs, renewMs: Math.min(Math.max(pickUpMs, renewLimits.leastMs), renewLimits.mostMs) }
}

/** Returns the step that the server has given to the runner. A process that asks is idle. */
function giveStep(emulation: Emulation, runner: Runner): Answer {
  runner.enabled = false
  const { step } = runner
  if (step?.state === 'READY') startStep(emulation, step, runner)
  else if (step?.heard) {
    completeStep(emulation, step, 'ERROR', 'The runner asked for a step before it had finished this one.')
    return emptyAnswer(204)
  }
  return step ? jsonAnswer(200, stepMessage(step)) : emptyAnswer(204)
}

/** Takes a report about the step that the runner runs. After 410 the process stops the step. */
function reported({ step }: Runner, call: Call, take: (step: Step) => void): Answer {
  if (step?.state !== 'IN_PROGRESS' || `{${step.uuid}}` !== call.params['step']) {
    throw bitbucketError(410, 'The step is over.')
  }
  step.heard = true
  take(step)
  return emptyAnswer(204)
}

const linesSchema = z.object({ lines: z.array(z.string()).max(logLinesMax) })
const resultSchema = z.object({
  status: z.enum(['PASSED', 'FAILED']),
  error: z.string().max(4_096).optional(),
})

function read<T>(schema: z.ZodType<T>, call: Call): T {
  const result = schema.safeParse(call.body)
  if (result.success) return result.data
  throw bitbucketError(400, 'The report of the runner is not valid.')
}
