// The fields of the built-in kinds, with their Go types (error messages contain them) and merge strategies. A line of
// the table reads `Struct name:type…`, or `Embedded|name:type`. After the name, `:` drops empty values, `?` keeps them
// (a pointer) and `!` always writes them. `[]` is a list, `{}` a map, `$` a named string. `~strategy@key` is the
// strategic merge.
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
  /** The name in error messages: it includes the embedded Go struct that declares the field. */
  readonly go: string
  /** How an empty value is written. */
  readonly empty: 'dropped' | 'kept' | 'always'
  readonly type: FieldType
  readonly merge: { readonly strategies: readonly string[]; readonly key: string | undefined } | undefined
}

export type Struct = {
  readonly name: string
  readonly fields: ReadonlyMap<string, Field>
  /** The fields that every object of this struct has. */
  readonly always: readonly Field[]
}

/** Returns the struct of a Go name, or undefined if the table does not contain it. */
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
    read.set(name, { name: goName(name), fields: new Map(fields.map((field) => [field.name, field])), always })
  }
  return read
}

/** Returns the Go name of a struct. The table adds the package's name to one that two packages have. */
function goName(name: string): string {
  return name.slice(name.indexOf('.') + 1)
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
  if (!isLeaf(text)) return { is: 'struct', struct: text, go: `v1.${goName(text)}` }
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

/** The names of all structs of the table. */
export const structNames: readonly string[] = [...structs.keys()]
