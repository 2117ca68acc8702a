// What of the controller's journal the reader of a terminal has to know: failures, each with its reason and the next step.
import type { Entry } from '../../model/event.ts'
import { type Failure, failureInfo } from '../../model/failure.ts'

/** One line, or nothing for an event that only says that all goes well. */
export function warningOf({ event }: Entry): string | undefined {
  switch (event.kind) {
    case 'template-refused':
    case 'forge-failed':
      return tell(`${event.namespace}/${event.set}`, event.failure)
    case 'runner-failed':
    case 'runner-delayed':
    case 'start-refused':
      return tell(`${event.namespace}/${event.set} runner ${event.runner}`, event.failure)
    case 'set-invalid':
      return `warning ${event.namespace}/${event.set}: spec-invalid: ${event.problems.join('; ')}`
    case 'protocol-anomaly':
      return `warning ${event.set}: ${event.anomaly}: ${event.message}`
    case 'write-failed':
      return `warning ${event.namespace}/${event.set}: ${event.action} failed: ${event.message}`
    default:
      return undefined
  }
}

function tell(about: string, { reason, message }: Failure): string {
  const { sentence, next } = failureInfo(reason)
  return `warning ${about}: ${reason}: ${sentence} ${message} next: ${next}`
}
