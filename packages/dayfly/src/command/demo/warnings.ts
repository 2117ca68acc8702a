// Turns the failures in the controller's journal into warnings for the terminal, each with its reason and next step.
import { printableLine } from '@dayfly/kit/printable'
import type { Entry } from '@dayfly/runner-set/model/event'
import { type Failure, failureInfo } from '@dayfly/runner-set/model/failure'

/** Returns one printable line, or undefined if the event is not a failure. */
export function warningOf(entry: Entry): string | undefined {
  const text = describe(entry)
  return text === undefined ? undefined : printableLine(text)
}

function describe({ event }: Entry): string | undefined {
  switch (event.kind) {
    case 'template-refused':
    case 'forge-failed':
    case 'runner-version-ends':
    case 'size-failed':
    case 'cost-labels-failed':
      return describeFailure(`${event.namespace}/${event.set}`, event.failure)
    case 'runner-failed':
    case 'runner-delayed':
    case 'start-refused':
      return describeFailure(`${event.namespace}/${event.set} runner ${event.runner}`, event.failure)
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

function describeFailure(about: string, { reason, message }: Failure): string {
  const { sentence, next } = failureInfo(reason)
  return `warning ${about}: ${reason}: ${sentence} ${message} next: ${next}`
}
