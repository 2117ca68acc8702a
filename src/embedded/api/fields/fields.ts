// The shape of the built-in kinds: which fields there are, of which Go type, and how lists of them merge. A line of the table reads
// `Struct name:type…`, or `Embedded|name:type`: `:` empty values are dropped, `?` kept (a pointer), `!` always there; `[]` list, `{}` map, `$` a named string;
// `~strategy@key` is the strategic merge. The Go names matter: error messages carry them.
import { fieldTable } from './field-table.ts'

export type Leaf =
  | 'string'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'float64'
  | 'bytes'
  | 'Time'
  | 'MicroTime'
  | 'Quantity'
  | 'IntOrString'
  | 'any'

export type FieldType =
  | { readonly is: 'leaf'; readonly leaf: Leaf; readonly go: string }
  | { readonly is: 'struct'; readonly struct: string; readonly go: string }
  | { readonly is: 'list'; readonly of: FieldType; readonly go: string }
  | { readonly is: 'map'; readonly of: FieldType; readonly go: string }

export type Field = {
  readonly name: string
  /** As error messages name it: with the embedded Go struct that declares it. */
  readonly go: string
  /** What happens to an empty value. */
  readonly empty: 'dropped' | 'kept' | 'always'
  readonly type: FieldType
  readonly merge: { readonly strategies: readonly string[]; readonly key: string | undefined } | undefined
}

export type Struct = {
  readonly name: string
  readonly fields: ReadonlyMap<string, Field>
  /** The fields that every object of it carries. */
  readonly always: readonly Field[]
}

/** The struct of that Go name; undefined for what the table does not hold. */
export function structOf(name: string): Struct | undefined {
  return structs.get(name)
}

const leaves = new Set<string>([
  'string',
  'bool',
  'int32',
  'int64',
  'float64',
  'bytes',
  'Time',
  'MicroTime',
  'Quantity',
  'IntOrString',
  'any',
])

function isLeaf(name: string): name is Leaf {
  return leaves.has(name)
}

function readTable(table: string): ReadonlyMap<string, Struct> {
  const read = new Map<string, Struct>()
  for (const line of table.trim().split('\n')) {
    const [name = '', ...parts] = line.split(' ')
    const fields = parts.map(readField)
    const always = fields.filter((field) => field.empty === 'always')
    read.set(name, { name, fields: new Map(fields.map((field) => [field.name, field])), always })
  }
  return read
}

function readField(text: string): Field {
  const [, embedded, name = '', mark = ':', type = '', strategies, key] = fieldPattern.exec(text) ?? []
  return {
    name,
    go: embedded === undefined ? name : `${embedded}.${name}`,
    empty: mark === '?' ? 'kept' : mark === '!' ? 'always' : 'dropped',
    type: readType(type),
    merge: strategies === undefined ? undefined : { strategies: strategies.split(','), key },
  }
}

function readType(text: string): FieldType {
  if (text.startsWith('[]')) {
    const of = readType(text.slice(2))
    return { is: 'list', of, go: `[]${of.go}` }
  }
  if (text.startsWith('{}')) {
    const of = readType(text.slice(2))
    return { is: 'map', of, go: text === '{}Quantity' ? 'v1.ResourceList' : `map[string]${of.go}` }
  }
  if (text.startsWith('$')) return { is: 'leaf', leaf: 'string', go: text.slice(1) }
  if (!isLeaf(text)) return { is: 'struct', struct: text, go: `v1.${text}` }
  return { is: 'leaf', leaf: text, go: goNames[text] ?? text }
}

const goNames: Readonly<Record<string, string>> = {
  bytes: '[]uint8',
  Time: 'v1.Time',
  MicroTime: 'v1.MicroTime',
  Quantity: 'resource.Quantity',
  IntOrString: 'intstr.IntOrString',
}

const fieldPattern = /^(?:(\w+)\|)?(\w+)([:?!])([^~]+)(?:~([^@]+)(?:@(.+))?)?$/

const structs: ReadonlyMap<string, Struct> = readTable(fieldTable)
