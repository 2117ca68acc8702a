// The shapes of built-in kinds: the fields of their table, with the list types of Kubernetes' OpenAPI document. A line of the
// list table reads `Struct field=@key,key …`. `set` is a list of different values, `atomic` a map with one owner. A `!` after the
// name says that the whole struct has one owner.
import { once } from '@dayfly/kit/once'
import { type FieldType, type Struct, structNames, structOf } from '../fields/fields.ts'
import { listTable } from './list-table.ts'
import { leaf, type Shape } from './shape.ts'

type Marks = { readonly atomic: boolean; readonly fields: ReadonlyMap<string, string> }

/** Returns the shape of a struct. */
export function structShape(name: string): Shape {
  return shapes.get(name) ?? leaf
}

/** The shapes of its fields are made when the first object of it is compared: structs contain each other. */
function readStruct(name: string): Shape {
  const struct = structOf(name)
  const marks = struct && marksOf.get(struct.name)
  if (struct === undefined || marks?.atomic) return leaf
  const fields = once(() => fieldShapes(struct, marks))
  return { is: 'struct', fieldOf: (field) => fields().get(field) }
}

function fieldShapes({ fields }: Struct, marks: Marks | undefined): ReadonlyMap<string, Shape> {
  const shapesOf = new Map<string, Shape>()
  for (const { name, type } of fields.values()) shapesOf.set(name, shapeOf(type, marks?.fields.get(name) ?? ''))
  for (const name of ['apiVersion', 'kind']) shapesOf.set(name, shapeOf(typeMeta, marks?.fields.get(name) ?? ''))
  return shapesOf
}

const typeMeta: FieldType = { is: 'leaf', leaf: 'string', go: 'string' }

function shapeOf(type: FieldType, mark: string): Shape {
  if (type.is === 'leaf' || mark === 'atomic') return leaf
  if (type.is === 'struct') return structShape(type.struct)
  if (type.is === 'map') return { is: 'map', of: shapeOf(type.of, '') }
  if (mark === 'set') return { is: 'set' }
  if (!mark.startsWith('@')) return leaf
  const keys = mark.slice(1).split(',')
  return {
    is: 'keyed',
    keys: keys.map((name) => ({ name, default: keyDefault(type.of, name) })),
    of: shapeOf(type.of, ''),
  }
}

/** Returns a key's value in an item that does not have it. Ports are the one case with a default of their own. */
function keyDefault(items: FieldType, name: string): unknown {
  if (name === 'protocol') return 'TCP'
  const type = items.is === 'struct' ? structOf(items.struct)?.fields.get(name)?.type : undefined
  return type?.is === 'leaf' && type.leaf === 'string' ? '' : 0
}

const marksOf: ReadonlyMap<string, Marks> = new Map(
  listTable
    .trim()
    .split('\n')
    .map((line) => {
      const [name = '', ...marks] = line.split(' ')
      const fields = marks.filter((mark) => mark !== '!').map((mark) => mark.split('=', 2) as [string, string])
      return [name, { atomic: marks.includes('!'), fields: new Map(fields) }] as const
    }),
)

const shapes: ReadonlyMap<string, Shape> = new Map(structNames.map((name) => [name, readStruct(name)]))
