// The parts of the lab's controller that only the command line may choose: the definition of RunnerSet, its reader, and the clients of the emulated forges.
import { runnerSetCrd } from '../../config/crd.ts'
import { parseRunnerSet } from '../../config/runner-set.ts'
import type { DayflyParts } from '../../lab/dayfly.ts'
import { forgesBehind } from '../forges/behind.ts'

export function dayflyParts(): DayflyParts {
  const accounts: DayflyParts['accounts'] = (forge, caller) =>
    forgesBehind(forge, { ...caller, userAgent: 'dayfly/lab', owner: 'lab' }).forgeFor
  return { definition: runnerSetCrd(), parseSet: parseRunnerSet, accounts }
}
