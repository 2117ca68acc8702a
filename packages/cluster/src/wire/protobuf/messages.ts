// The numbered fields of the built-in kinds' messages. A line of the table reads `Struct number:name:type …`. `?` after
// the number marks an optional field (a pointer); all others drop their zero value. `=` marks a field whose value is the
// whole message in JSON. A message with an empty name has its fields in the message around it. `[]` is a list, `{}` a map.
import { messageTable } from './message-table.ts'

const leaves = [
  'string',
  'bool',
  'int',
  'float64',
  'bytes',
  'Time',
  'MicroTime',
  'Quantity',
  'IntOrString',
  'Raw',
] as const

export type Leaf = (typeof leaves)[number]

export type MessageType =
  | { readonly is: 'leaf'; readonly leaf: Leaf }
  | { readonly is: 'message'; readonly message: string }
  | { readonly is: 'list' | 'map'; readonly of: MessageType }

type MessageField = {
  /** If empty, the message around this one has its fields. */
  readonly name: string
  readonly optional: boolean
  /** The value of this field is the whole message in JSON: a schema, or a list of schemas. */
  readonly whole: boolean
  readonly type: MessageType
}

/** Returns the fields of a message by number, or undefined for a kind that is not in the table. */
export function messageOf(name: string): ReadonlyMap<number, MessageField> | undefined {
  return messages.get(name)
}

const messages: ReadonlyMap<string, ReadonlyMap<number, MessageField>> = new Map(
  messageTable
    .trim()
    .split('\n')
    .map((line) => {
      const [name = '', ...fields] = line.split(' ')
      return [name, new Map(fields.map(readField))]
    }),
)

function readField(text: string): [number, MessageField] {
  const [, number, mark, name = '', type = ''] = /^(\d+)([:?=])([\w$-]*):(.+)$/.exec(text) ?? []
  return [Number(number), { name, optional: mark === '?', whole: mark === '=', type: readType(type) }]
}

function readType(text: string): MessageType {
  if (text.startsWith('[]')) return { is: 'list', of: readType(text.slice(2)) }
  if (text.startsWith('{}')) return { is: 'map', of: readType(text.slice(2)) }
  const leaf = leaves.find((known) => known === text)
  return leaf === undefined ? { is: 'message', message: text } : { is: 'leaf', leaf }
}
