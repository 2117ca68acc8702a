// One process of the production controller, with its own clock, network, accounts and journal.
import { forgesBehind } from '../src/cli/forges/behind.ts'
import { parseRunnerSet } from '../src/config/runner-set.ts'
import { type Controller, startController } from '../src/controller/controller.ts'
import { createJournal } from '../src/controller/journal.ts'
import type { ControllerOptions } from '../src/controller/options.ts'
import { createKubernetes } from '../src/kubernetes/client.ts'
import { followServerTime } from '../src/kubernetes/server-time.ts'
import type { Answer, Request, Transport } from '../src/lib/http.ts'
import type { Random } from '../src/lib/random.ts'
import { upperStopwatch } from '../src/lib/stopwatch.ts'
import { stopwatchOf, type VirtualClock } from '../src/lib/virtual-clock.ts'
import type { Entry } from '../src/model/event.ts'
import { defaultLimits } from '../src/model/limits.ts'
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
  const transport = time.heard(way('api'))
  const journal = createJournal(machine)
  journal.subscribe((entry) => options.onEntry(identity, entry))
  const controllerOptions: ControllerOptions = {
    kubernetes: createKubernetes({ transport, clock, random }),
    transport,
    forgeFor: forgesBehind(way('forge'), { clock, random, userAgent: 'dayfly/sim', owner: identity }).forgeFor,
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
