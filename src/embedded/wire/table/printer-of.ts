// Returns the columns of a kind.
import type { Kind } from '../../api/kinds.ts'
import { builtInPrinters, plainPrinter } from './built-in-printers.ts'
import type { Printer } from './column.ts'
import { customPrinter } from './custom-printer.ts'

export function printerOf(kind: Kind, version: string): Printer {
  if (!kind.custom) return builtInPrinters.get(kind.resource) ?? plainPrinter
  return customPrinter(kind.versions.find(({ name }) => name === version)?.columns ?? [])
}
