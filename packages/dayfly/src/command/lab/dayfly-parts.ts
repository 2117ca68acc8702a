// The parts of the lab's controller that only the command line may choose: the definition of RunnerSet, its reader, and the clients of the emulated forges.
import { inProcessForges } from '@dayfly/forges/open/in-process'
import { runnerSetCrd } from '@dayfly/runner-set/config/crd'
import { parseRunnerSet } from '@dayfly/runner-set/config/runner-set'
import type { DayflyParts } from '../../lab/dayfly.ts'

export function dayflyParts(): DayflyParts {
  const accounts: DayflyParts['accounts'] = (forge, caller) =>
    inProcessForges(forge, { ...caller, userAgent: 'dayfly/lab', owner: 'lab' }).forgeFor
  return { definition: runnerSetCrd(), parseSet: parseRunnerSet, accounts }
}
