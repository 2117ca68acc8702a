// Reads AutoscalingRunnerSets of ARC 0.9 to 0.14 and later, from a cluster or a file, as the values of the chart that made them.
import type { SourceObject } from '@dayfly/doctor/read/decode/document'
import { fieldsAt, isJsonObject, type JsonObject, type Path, textAt } from '@dayfly/kit/read-json'
import type { Line } from '../ledger.ts'
import type { ChartMade, Release } from '../release.ts'
import { keyOf, showPath, type Values } from '../values.ts'
import { namespaceAround } from './flux.ts'
import { branchNotes, type Input, valuesIn } from './input.ts'

/** The fields of the object, by the name of the chart's value. */
const renamed: ReadonlyMap<string, string> = new Map(
  Object.entries({
    runnerScaleSetLabels: 'scaleSetLabels',
    vaultConfig: 'keyVault',
  }),
)
/** Metadata of the objects that ARC makes, by the chart's value. */
const metadata: ReadonlyMap<string, string> = new Map(
  Object.entries({
    autoscalingListener: 'autoscalingListener',
    listenerServiceAccountMetadata: 'listenerServiceAccount',
    listenerRoleMetadata: 'listenerRole',
    listenerRoleBindingMetadata: 'listenerRoleBinding',
    listenerConfigSecretMetadata: 'listenerConfigSecret',
    ephemeralRunnerSetMetadata: 'ephemeralRunnerSet',
    ephemeralRunnerMetadata: 'ephemeralRunner',
    ephemeralRunnerConfigSecretMetadata: 'ephemeralRunnerConfigSecret',
  }),
)

const setName = 'actions.github.com/runner-scale-set-name'
/** Annotations by which ARC and helm keep their own state. */
const ownAnnotations =
  /^(actions\.github\.com\/|meta\.helm\.sh\/|runner-scale-set-id$|kubectl\.kubernetes\.io\/last-applied)/
const ownLabels = /^(actions\.github\.com\/|helm\.sh\/chart$|app\.kubernetes\.io\/)/

export function liveSets(input: Input): readonly Release[] {
  return input.objects.filter(isRunnerSet).map((object) => {
    const { name, namespace } = nameOf(object)
    return {
      form: 'AutoscalingRunnerSet',
      file: object.document.file.path,
      at: showPath(object.path),
      name,
      namespace: namespace ?? namespaceAround(input, object.document.file.path),
      values: valuesOf(object),
      notes: branchNotes(object),
      files: [],
      made: madeBy(object.value),
    }
  })
}

/** ARC's manager makes these objects itself. */
const madeByArc = /^(AutoscalingRunnerSet|AutoscalingListener|EphemeralRunnerSet|EphemeralRunner)$/

/** Names objects of ARC's group of a kind that ARC does not have. */
export function unknownKinds(input: Input): readonly Line[] {
  return input.objects.flatMap(({ kind: what, value, document, path }): readonly Line[] => {
    const kind = textAt(value, 'kind') ?? ''
    if (what !== 'object' || !/^actions\.github\.com\//.test(String(value['apiVersion'])) || madeByArc.test(kind))
      return []
    const sentence = `ARC has no kind ${kind}, so it starts no runners for ${textAt(value, 'metadata', 'name')}.`
    return [{ file: document.file.path, path: showPath([...path, 'kind']), is: 'decide', sentence }]
  })
}

function isRunnerSet({ kind, value }: SourceObject): boolean {
  return (
    kind === 'object' &&
    value['kind'] === 'AutoscalingRunnerSet' &&
    /^actions\.github\.com\//.test(String(value['apiVersion']))
  )
}

function nameOf({ value }: SourceObject) {
  return { name: textAt(value, 'metadata', 'name'), namespace: textAt(value, 'metadata', 'namespace') }
}

/** The chart notes what it made for the release, so that ARC's controller can remove it. */
function madeBy(object: JsonObject): ChartMade {
  const noted = (what: string) => textAt(object, 'metadata', 'annotations', `actions.github.com/cleanup-${what}`)
  const secret = noted('github-secret-name')
  const plainAccount = noted('no-permission-service-account-name')
  const kubernetesAccount = noted('kubernetes-mode-service-account-name')
  return {
    ...(secret === undefined ? {} : { secret }),
    ...(plainAccount === undefined ? {} : { plainAccount }),
    ...(kubernetesAccount === undefined ? {} : { kubernetesAccount }),
  }
}

/** Returns the values, each at the place of its field. */
function valuesOf(object: SourceObject): Values {
  const written = valuesIn(object, [])
  const spec = fieldsAt(written?.root, 'spec') ?? {}
  const root: Record<string, unknown> = {}
  const meta: Record<string, unknown> = {}
  const places = new Map<string, Path>()
  for (const key of Object.keys(spec)) {
    const part = metadata.get(key)
    if (part !== undefined) meta[part] = spec[key]
    else root[renamed.get(key) ?? key] = spec[key]
    places.set(keyOf(part === undefined ? [renamed.get(key) ?? key] : ['resourceMeta', part]), ['spec', key])
  }
  if (Object.keys(meta).length > 0) root['resourceMeta'] = meta
  Object.assign(root, ownMetadata(written?.root, places))
  const scaleSet = textAt(object.value, 'metadata', 'annotations', setName)
  const isOther = scaleSet !== undefined && scaleSet !== textAt(object.value, 'metadata', 'name')
  if (root['runnerScaleSetName'] === undefined && isOther) {
    root['runnerScaleSetName'] = scaleSet
    places.set(keyOf(['runnerScaleSetName']), ['metadata', 'annotations', setName])
  }
  const placeOf = (path: Path): Path => {
    for (let length = Math.min(path.length, 3); length > 0; length--) {
      const place = places.get(keyOf(path.slice(0, length)))
      if (place) return [...place, ...path.slice(length)]
    }
    return ['spec', ...path]
  }
  return {
    root,
    placeOf: (path) => written?.placeOf(placeOf(path)) ?? { file: object.document.file.path, path: showPath(path) },
    isComputed: (path) => written?.isComputed(placeOf(path)) ?? false,
  }
}

function ownMetadata(object: JsonObject | undefined, places: Map<string, Path>): JsonObject {
  const out: Record<string, JsonObject> = {}
  for (const [key, own] of [
    ['labels', ownLabels],
    ['annotations', ownAnnotations],
  ] as const) {
    const all = fieldsAt(object, 'metadata', key)
    const kept = Object.entries(isJsonObject(all) ? all : {}).filter(([name]) => !own.test(name))
    if (kept.length > 0) out[key] = Object.fromEntries(kept)
    places.set(keyOf([key]), ['metadata', key])
  }
  return out
}
