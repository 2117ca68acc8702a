// Makes one call to the forge about the broken jobs of a run.
import type { Runs } from '@dayfly/runner-set/forge/forge'
import type { Action } from '@dayfly/runner-set/model/action'
import type { Outcome } from '@dayfly/runner-set/model/outcome'
import { PortError } from '@dayfly/runner-set/model/port-error'
import type { ActContext } from './context.ts'
import { forgeUnsuccessful, notConnected } from './unsuccessful.ts'

type AskAction = Extract<Action, { kind: 'ask-run' }>
type AskResult = Extract<Outcome, { action: 'ask-run' }>['result']

export async function askRun({ link, signal, leads }: ActContext, action: AskAction): Promise<AskResult> {
  if (!link?.runs) return notConnected
  if (!leads()) return { is: 'aborted' }
  try {
    return await make(link.runs, action)
  } catch (error) {
    const result = forgeUnsuccessful(error, signal)
    const isRight = error instanceof PortError && error.kind === 'unauthorized'
    if (!isRight || result.is !== 'refused') return result
    return { ...result, failure: { reason: 'rerun-refused', message: error.message } }
  }
}

async function make(runs: Runs, { repository, run, ask }: AskAction): Promise<AskResult> {
  switch (ask.is) {
    case 'look':
      return { is: 'seen', jobs: await runs.jobs(repository, run) }
    case 'end':
      return { is: await runs.end(repository, run) }
    case 'repeat':
      return { is: await runs.repeat(repository, ask.job) }
    case 'repeat-failed':
      return { is: await runs.repeatFailed(repository, run) }
    case 'notify':
      await runs.notify(ask.note)
      return { is: 'accepted' }
  }
}
