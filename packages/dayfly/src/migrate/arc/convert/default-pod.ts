// The pod that Dayfly builds without a template. The caller passes it, so that this room does not know its contents.
import { isJsonObject, type JsonObject, listAt } from '@dayfly/kit/read-json'
import { runnerContainer } from '@dayfly/runner-set/model/runner-names'

/** The sidecar with Docker in a RunnerSet's template. */
export const dockerContainer = 'docker'

export type DefaultPod = {
  readonly runner: JsonObject
  readonly docker: JsonObject
  /** Where the runner finds its credential. */
  readonly credentialFile: string
}

/** @param spec the spec of a pod of GitHub with a Docker sidecar */
export function readDefaultPod(spec: JsonObject, credentialFile: string): DefaultPod {
  const named = (list: string, name: string) =>
    listAt(spec, list)
      .filter(isJsonObject)
      .find((container) => container['name'] === name) ?? {}
  return {
    runner: named('containers', runnerContainer),
    docker: named('initContainers', dockerContainer),
    credentialFile,
  }
}
