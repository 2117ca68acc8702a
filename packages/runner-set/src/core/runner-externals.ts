// The programs in the runner's image that a job's containers mount. The engine mounts them, so its container has a copy at the same path
// (https://github.com/actions/actions-runner-controller/blob/master/charts/gha-runner-scale-set/templates/_helpers.tpl).
import { isJsonObject, type JsonObject, listAt } from '@dayfly/kit/read-json'
import type { RunnerTraits } from '../model/forges/traits.ts'
import { runnerContainer } from '../model/runner-names.ts'
import { dockerContainer } from './docker-sidecar.ts'
import { mergeTemplate } from './merge.ts'

/** The init container that copies the folder. */
export const externalsContainer = 'dayfly-externals'

const copyFolder = '/dayfly-externals'
const volume = { name: 'dayfly-externals', emptyDir: {} }

/** An image without the folder has no such programs, and its jobs may do without. `$DAYFLY_ROOT` is the container's folder in the embedded cluster. */
const command = [
  '/bin/sh',
  '-c',
  'from="${DAYFLY_ROOT:-}$1" to="${DAYFLY_ROOT:-}$2"; if [ -d "$from" ]; then cp -r "$from/." "$to/"; fi',
  externalsContainer,
]

/** Returns the parts of a pod that copy the folder to the engine's container. */
export function externalsSpec({ externalsFolder }: Pick<RunnerTraits, 'externalsFolder'>): JsonObject {
  if (externalsFolder === undefined) return {}
  const copy = {
    name: externalsContainer,
    command: [...command, externalsFolder, copyFolder],
    resources: { requests: { cpu: '100m', memory: '128Mi' } },
    volumeMounts: [{ name: volume.name, mountPath: copyFolder }],
  }
  const engine = { name: dockerContainer, volumeMounts: [{ name: volume.name, mountPath: externalsFolder }] }
  return { initContainers: [engine, copy], volumes: [volume] }
}

/** Gives the init container the image of the runner, which a template may change. */
export function withRunnersImage(spec: JsonObject): JsonObject {
  const runner = namedIn(spec, 'containers', runnerContainer)
  if (!runner || !namedIn(spec, 'initContainers', externalsContainer)) return spec
  const { image, imagePullPolicy } = runner
  const own = { name: externalsContainer, image, ...(imagePullPolicy === undefined ? {} : { imagePullPolicy }) }
  return mergeTemplate({ initContainers: [own] }, spec)
}

/** Returns the container of this name. */
export function namedIn(spec: JsonObject, list: 'containers' | 'initContainers', name: string): JsonObject | undefined {
  return listAt(spec, list)
    .filter(isJsonObject)
    .find((container) => container['name'] === name)
}
