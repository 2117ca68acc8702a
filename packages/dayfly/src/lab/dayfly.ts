// Dayfly's own controller in a cluster of the lab.
import { type Controller, startController } from '@dayfly/controller/controller'
import { createJournal } from '@dayfly/controller/journal'
import type { ControllerOptions } from '@dayfly/controller/options'
import { runnerSets } from '@dayfly/controller/resources'
import type { Clock } from '@dayfly/kit/clock'
import type { Transport } from '@dayfly/kit/http'
import type { Random } from '@dayfly/kit/random'
import { stopwatchOf } from '@dayfly/kit/virtual-clock'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { defaultLimits, type Limits } from '@dayfly/runner-set/model/limits'
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

export type DayflySettings = {
  readonly limits?: Limits
  /** The latency of each call to the API server. */
  readonly latencyMs?: number
}

/** Installs the definition and starts the controller. */
export async function startDayfly(
  world: World,
  parts: DayflyParts,
  forge: Transport,
  { limits = defaultLimits, latencyMs = 0 }: DayflySettings = {},
): Promise<Dayfly> {
  const { clock, random } = world
  const slow: Transport = (request) => clock.sleep(latencyMs, request.signal).then(() => world.transport(request))
  const transport = latencyMs > 0 ? slow : world.transport
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
      limits,
      stopwatch: stopwatchOf(clock),
      identity: 'lab',
      lease: { namespace: dayflyNamespace, name: 'dayfly' },
    },
    createJournal(clock),
  )
  return { stop: () => world.during(60_000, controller.stop()) }
}
