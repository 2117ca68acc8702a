// One process of the production controller, with its own clock, network, accounts and journal.
import { forgeOpeners } from '../src/cli/forges/clients.ts'
import { parseRunnerSet } from '../src/config/runner-set.ts'
import { type Controller, startController } from '../src/controller/controller.ts'
import { createJournal } from '../src/controller/journal.ts'
import type { ControllerOptions } from '../src/controller/options.ts'
import type { Forge } from '../src/forge/forge.ts'
import { createKubernetes } from '../src/kubernetes/client.ts'
import { followServerTime } from '../src/kubernetes/server-time.ts'
import type { Clock } from '../src/lib/clock.ts'
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
  const { identity, random, onSent, onAnswer, servers, weather } = options
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
    forgeFor: accounts(way('forge'), { clock, random, identity }),
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

/** One account for each URL and credential, as in the production process. */
function accounts(
  transport: Transport,
  { clock, random, identity }: { readonly clock: Clock; readonly random: Random; readonly identity: string },
): ControllerOptions['forgeFor'] {
  const ignore = () => {}
  const caller = { clock, random, userAgent: 'dayfly/sim', owner: identity }
  const open = forgeOpeners({ ...caller, onAnomaly: ignore, onExchange: ignore, forceServer: false })
  const known = new Map<string, Forge>()
  return (source, { credential }) => {
    const key = JSON.stringify([source.kind, source.url, credential])
    const forge = known.get(key) ?? open[source.kind](source, credential)(transport)
    known.set(key, forge)
    return forge
  }
}
