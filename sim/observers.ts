// The listeners to the processes of a world: the workload, the disasters, the checkers and the trace.
import type { PlayedContainer } from '@dayfly/cluster/runtime/scripted/scripted-runtime'
import type { Answer, Request } from '@dayfly/kit/http'
import type { Entry } from '@dayfly/runner-set/model/event'
import type { ProcessOptions } from './process.ts'

type Server = 'api' | 'forge'

type Observers = {
  /** A process makes a request, which may never arrive. */
  readonly tried: Set<(identity: string, server: Server, request: Request) => void>
  /** A server is about to get a request. */
  readonly sent: Set<(identity: string, server: Server, request: Request) => void>
  readonly answered: Set<(identity: string, server: Server, request: Request, answer: Answer) => void>
  readonly written: Set<(identity: string, entry: Entry) => void>
  readonly credentials: Set<(container: PlayedContainer, credential: string) => void>
}

export function createObservers(): Observers {
  return { tried: new Set(), sent: new Set(), answered: new Set(), written: new Set(), credentials: new Set() }
}

/** Returns the calls by which a process reports to every listener. */
export function reportTo(observers: Observers): Pick<ProcessOptions, 'onTried' | 'onSent' | 'onAnswer' | 'onEntry'> {
  return {
    onTried: (...tried) => each(observers.tried, tried),
    onSent: (...sent) => each(observers.sent, sent),
    onAnswer: (...answered) => each(observers.answered, answered),
    onEntry: (...written) => each(observers.written, written),
  }
}

function each<Arguments extends readonly unknown[]>(listeners: Set<(...given: Arguments) => void>, given: Arguments) {
  for (const listener of listeners) listener(...given)
}
