// RunnerSets of Dayfly among the objects of the input.
import { fieldsAt, type JsonObject } from '@dayfly/kit/read-json'
import { forgeTraits } from '@dayfly/runner-set/model/forge-traits'

/** Whether the RunnerSet names its forge. A patch of kustomize names only its changes, so a missing field means nothing there. */
export function namesForge(raw: JsonObject): boolean {
  return Object.keys(forgeTraits).some((forge) => fieldsAt(raw, 'spec', forge) !== undefined)
}
