// One process of the production controller, with its own clock, network, accounts and journal.
import { type Controller, startController } from '@dayfly/controller/controller'
import { createJournal } from '@dayfly/controller/journal'
import type { ControllerOptions } from '@dayfly/controller/options'
import { inProcessForges } from '@dayfly/forges/open/in-process'
import type { Answer, Request, Transport } from '@dayfly/kit/http'
import type { Random } from '@dayfly/kit/random'
import { upperStopwatch } from '@dayfly/kit/stopwatch'
import { stopwatchOf, type VirtualClock } from '@dayfly/kit/virtual-clock'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { followServerTime } from '@dayfly/kubernetes/server-time'
import { parseRunnerSet } from '@dayfly/runner-set/config/runner-set'
import type { Entry } from '@dayfly/runner-set/model/event'
import { defaultLimits } from '@dayfly/runner-set/model/limits'
import { type ProcessClock, processClock } from './clocks.ts'
import { through } from './network.ts'
import type { Weather } from './weather.ts'

export type ProcessOptions = {
  readonly identity: string
  readonly clock: VirtualClock
  readonly offsetMs: number
  readonly random: Random
  readonly servers: { readonly api: Transport; readonly forge: Transport }
  readonly weather: { readonly api: () => Weather; readonly forge: () => Weather }
  readonly onTried: (identity: string, server: 'api' | 'forge', request: Request) => void
  readonly onSent: (identity: string, server: 'api' | 'forge', request: Request) => void
  readonly onAnswer: (identity: string, server: 'api' | 'forge', request: Request, answer: Answer) => void
  readonly onEntry: (identity: string, entry: Entry) => void
}

export interface SimulatedProcess {
  readonly identity: string
  readonly clock: ProcessClock
  readonly controller: Controller
  /** The ways to the two servers. A process that is killed has none. */
  readonly open: { api: boolean; forge: boolean }
  isStopped: boolean
}

export function startProcess(options: ProcessOptions): SimulatedProcess {
  const { identity, random, onTried, onSent, onAnswer, servers, weather } = options
  const machine = processClock(options.clock, options.offsetMs)
  const steady = stopwatchOf(options.clock)
  const time = followServerTime(machine, steady)
  const { clock } = time
  const open = { api: true, forge: true }
  const way = (server: 'api' | 'forge') =>
    through(
      {
        clock: options.clock,
        random,
        weather: weather[server],
        isOpen: () => open[server],
        onTried: (request) => onTried(identity, server, request),
        onSent: (request) => onSent(identity, server, request),
        onAnswer: (request, answer) => onAnswer(identity, server, request, answer),
      },
      servers[server],
    )
  const transport = time.observing(way('api'))
  const journal = createJournal(machine)
  journal.subscribe((entry) => options.onEntry(identity, entry))
  const controllerOptions: ControllerOptions = {
    kubernetes: createKubernetes({ transport, clock, random }),
    transport,
    forgeFor: inProcessForges(way('forge'), { clock, random, userAgent: 'dayfly/sim', owner: identity }).forgeFor,
    parseSet: parseRunnerSet,
    clock,
    stopwatch: upperStopwatch(steady, machine),
    random,
    limits: defaultLimits,
    identity,
    lease: { namespace: 'a', name: 'dayfly' },
  }
  return { identity, clock: machine, controller: startController(controllerOptions, journal), open, isStopped: false }
}
