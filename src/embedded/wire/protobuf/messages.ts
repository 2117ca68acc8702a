// How the messages of the built-in kinds are numbered. A line of the table reads `Struct number:name:type …`: `?` after the number marks what may
// be absent (a pointer), all else drops its zero value; an empty name is a message whose fields belong to the one that holds it; `[]` list, `{}` map.
import { messageTable } from './message-table.ts'

const leaves = ['string', 'bool', 'int', 'bytes', 'Time', 'MicroTime', 'Quantity', 'IntOrString', 'Raw'] as const

export type Leaf = (typeof leaves)[number]

export type MessageType =
  | { readonly is: 'leaf'; readonly leaf: Leaf }
  | { readonly is: 'message'; readonly message: string }
  | { readonly is: 'list' | 'map'; readonly of: MessageType }

export type MessageField = {
  /** Empty: its fields stand in the message around it. */
  readonly name: string
  readonly optional: boolean
  readonly type: MessageType
}

/** The fields of a message by number; undefined for a kind that is not in the table. */
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
  const [, number, mark, name = '', type = ''] = /^(\d+)([:?])(\w*):(.+)$/.exec(text) ?? []
  return [Number(number), { name, optional: mark === '?', type: readType(type) }]
}

function readType(text: string): MessageType {
  if (text.startsWith('[]')) return { is: 'list', of: readType(text.slice(2)) }
  if (text.startsWith('{}')) return { is: 'map', of: readType(text.slice(2)) }
  const leaf = leaves.find((known) => known === text)
  return leaf === undefined ? { is: 'message', message: text } : { is: 'leaf', leaf }
}
