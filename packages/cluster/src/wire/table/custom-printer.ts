// The columns of a custom resource, from additionalPrinterColumns of its definition.
import type { Instant } from '@dayfly/kit/clock'
import type { PrinterColumn } from '../../api/kind.ts'
import { isObject } from '../../api/values/json.ts'
import { age } from './age.ts'
import { ageColumn, type Cell, nameColumn, type Printer } from './column.ts'
import { parseJsonPath } from './json-path.ts'

const plainAge = { ...ageColumn, type: 'date', jsonPath: '.metadata.creationTimestamp' }

/**
 * Creates the printer. Without columns, it shows name and age. A cell is empty if its path finds nothing or a value of
 * another type.
 */
export function customPrinter(definitions: readonly PrinterColumn[]): Printer {
  if (definitions.length === 0) return customPrinter([plainAge])
  const columns = definitions.map(({ name, type, format = '', description, priority = 0, jsonPath }) => ({
    name,
    type,
    format,
    description: description ?? `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority,
  }))
  const paths = definitions.map(({ jsonPath }) => parseJsonPath(jsonPath))
  return {
    columns: [nameColumn, ...columns],
    cells: (object, now) => [
      object.metadata.name,
      ...columns.map(({ type }, index) => cell(type, paths[index]?.(object)[0], now)),
    ],
  }
}

function cell(type: string, value: unknown, now: Instant): Cell {
  if (value === undefined || value === null) return null
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null
    case 'number':
      return typeof value === 'number' ? value : null
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    case 'date':
      return typeof value === 'string' ? age(value, now) : null
    case 'string':
      return typeof value === 'object' ? JSON.stringify(value, inOrder) : String(value)
    default:
      return null
  }
}

/** Sorts the fields of an object by name, like Go. */
function inOrder(_: string, value: unknown): unknown {
  return isObject(value) ? Object.fromEntries(Object.entries(value).sort()) : value
}
