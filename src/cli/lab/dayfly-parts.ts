// The parts of the lab's controller that only the command line may choose: the definition of RunnerSet, its reader, and the clients of the emulated forges.
import { runnerSetCrd } from '../../config/crd.ts'
import { parseRunnerSet } from '../../config/runner-set.ts'
import type { Forge } from '../../forge/forge.ts'
import type { DayflyParts } from '../../lab/dayfly.ts'
import { forgeOpeners } from '../forges/clients.ts'

export function dayflyParts(): DayflyParts {
  return { definition: runnerSetCrd(), parseSet: parseRunnerSet, accounts }
}

const accounts: DayflyParts['accounts'] = (transport, { clock, random }) => {
  const ignore = () => {}
  const caller = { clock, random, userAgent: 'dayfly/lab', owner: 'lab' }
  const open = forgeOpeners({ ...caller, onAnomaly: ignore, onExchange: ignore, forceServer: false })
  const known = new Map<string, Forge>()
  return (source, { credential }) => {
    const key = JSON.stringify([source.kind, source.url, credential])
    const account = known.get(key) ?? open[source.kind](source, credential)(transport)
    known.set(key, account)
    return account
  }
}
