// Merges a user's pod template over a default, as a strategic merge does: lists of named entries by name, everything else is replaced.

type Plain = Readonly<Record<string, unknown>>

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

/** Returns `over` merged over `base`. Changes neither. */
export function mergeTemplate(base: Plain, over: Plain): Plain {
  const merged: Record<string, unknown> = { ...base }
  for (const [field, value] of Object.entries(over)) merged[field] = mergeField(field, base[field], value)
  return merged
}

function mergeField(field: string, base: unknown, over: unknown): unknown {
  const key = listKeys[field]
  if (key && isListOfPlain(base) && isListOfPlain(over)) return mergeList(base, over, key)
  return isPlain(base) && isPlain(over) ? mergeTemplate(base, over) : over
}

/** The user's entries keep their positions, so that an index in the API server's message is the user's own. */
function mergeList(base: readonly Plain[], over: readonly Plain[], key: string): readonly Plain[] {
  const find = (entry: Plain) => base.find((candidate) => candidate[key] === entry[key])
  const named = over.map((entry) => mergeTemplate(find(entry) ?? {}, entry))
  const rest = base.filter((entry) => !over.some((candidate) => candidate[key] === entry[key]))
  return [...named, ...rest]
}

function isListOfPlain(value: unknown): value is readonly Plain[] {
  return Array.isArray(value) && value.every(isPlain)
}

function isPlain(value: unknown): value is Plain {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
