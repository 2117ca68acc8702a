// Merges a user's pod template over a default, as a strategic merge does: lists of named entries by name, everything else is replaced.
import { isJsonObject, type JsonObject } from '@dayfly/kit/read-json'

/** The field that identifies an entry of a list. */
const listKeys: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  volumes: 'name',
  env: 'name',
  volumeMounts: 'mountPath',
  ports: 'containerPort',
  imagePullSecrets: 'name',
  tolerations: 'key',
}

/** An entry of these lists has one source: a volume is an emptyDir or a claim. The default's entry loses the fields that the user's entry lacks. */
const oneSource: readonly string[] = ['env', 'volumes']

/** Returns `over` merged over `base`. Changes neither. */
export function mergeTemplate(base: JsonObject, over: JsonObject): JsonObject {
  const merged: Record<string, unknown> = { ...base }
  for (const [field, value] of Object.entries(over)) merged[field] = mergeField(field, base[field], value)
  return merged
}

function mergeField(field: string, base: unknown, over: unknown): unknown {
  const key = listKeys[field]
  if (key && isListOfObjects(base) && isListOfObjects(over))
    return mergeList(base, over, { key, keeps: !oneSource.includes(field) })
  return isJsonObject(base) && isJsonObject(over) ? mergeTemplate(base, over) : over
}

/** The user's entries keep their positions, so that an index in the API server's message is the user's own. */
function mergeList(
  base: readonly JsonObject[],
  over: readonly JsonObject[],
  { key, keeps }: { readonly key: string; readonly keeps: boolean },
): readonly JsonObject[] {
  const find = (entry: JsonObject) => base.find((candidate) => candidate[key] === entry[key]) ?? {}
  const kept = (entry: JsonObject) =>
    keeps ? find(entry) : Object.fromEntries(Object.entries(find(entry)).filter(([field]) => field in entry))
  const named = over.map((entry) => mergeTemplate(kept(entry), entry))
  const rest = base.filter((entry) => !over.some((candidate) => candidate[key] === entry[key]))
  return [...named, ...rest]
}

function isListOfObjects(value: unknown): value is readonly JsonObject[] {
  return Array.isArray(value) && value.every(isJsonObject)
}
