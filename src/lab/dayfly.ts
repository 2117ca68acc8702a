// Dayfly's own controller in a cluster of the lab.
import { type Controller, startController } from '../controller/controller.ts'
import { createJournal } from '../controller/journal.ts'
import type { ControllerOptions } from '../controller/options.ts'
import { runnerSets } from '../controller/resources.ts'
import { createKubernetes } from '../kubernetes/client.ts'
import type { Clock } from '../lib/clock.ts'
import type { Transport } from '../lib/http.ts'
import type { Random } from '../lib/random.ts'
import { stopwatchOf } from '../lib/virtual-clock.ts'
import { defaultLimits } from '../model/limits.ts'
import { defineKind, makeNamespace } from './objects.ts'
import type { World } from './world.ts'

/** The parts that only the command line may choose. */
export type DayflyParts = {
  /** The definition of the kind RunnerSet. */
  readonly definition: object
  readonly parseSet: ControllerOptions['parseSet']
  /** Returns the accounts of the forge behind the transport. */
  readonly accounts: (forge: Transport, caller: { clock: Clock; random: Random }) => ControllerOptions['forgeFor']
}

export interface Dayfly {
  stop(): Promise<void>
}

export const dayflyNamespace = 'dayfly'

/** Installs the definition and starts the controller. */
export async function startDayfly(world: World, parts: DayflyParts, forge: Transport): Promise<Dayfly> {
  const { clock, random, transport } = world
  await defineKind(world, runnerSets, parts.definition)
  await makeNamespace(world, dayflyNamespace)
  const controller: Controller = startController(
    {
      kubernetes: createKubernetes({ transport, clock, random }),
      transport,
      forgeFor: parts.accounts(forge, { clock, random }),
      parseSet: parts.parseSet,
      clock,
      random,
      limits: defaultLimits,
      stopwatch: stopwatchOf(clock),
      identity: 'lab',
      lease: { namespace: dayflyNamespace, name: 'dayfly' },
    },
    createJournal(clock),
  )
  return { stop: () => world.during(60_000, controller.stop()) }
}
