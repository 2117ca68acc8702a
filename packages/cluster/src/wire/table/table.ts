// Objects as a Table (meta.k8s.io/v1): the form in which kubectl gets its columns.
import type { Instant } from '@dayfly/kit/clock'
import type { Kind } from '../../api/kind.ts'
import { type JsonObject, text } from '../../api/values/json.ts'
import type { StoredObject } from '../../store/object.ts'
import { builtInPrinters, plainPrinter } from './built-in-printers.ts'
import type { Cell, Column, Printer } from './column.ts'
import { customPrinter } from './custom-printer.ts'

/** How much of the object each row contains. */
export type IncludeObject = 'None' | 'Metadata' | 'Object'

type TableOptions = {
  readonly printer: Printer
  readonly includeObject: IncludeObject
  readonly now: Instant
  /** False for all but the first event of a watch. */
  readonly withColumns: boolean
}

type Row = {
  readonly cells: readonly Cell[]
  readonly conditions?: readonly object[]
  readonly object: JsonObject | null
}

export type Table = {
  readonly kind: 'Table'
  readonly apiVersion: 'meta.k8s.io/v1'
  readonly metadata: JsonObject
  readonly columnDefinitions: readonly Column[] | null
  readonly rows: readonly Row[]
}

/** Returns the printer of a kind. */
export function printerOf(kind: Kind, version: string): Printer {
  if (!kind.custom) return builtInPrinters.get(kind.resource) ?? plainPrinter
  return customPrinter(kind.versions.find(({ name }) => name === version)?.columns ?? [])
}

/** @param metadata the metadata of the list, or the resourceVersion of a single object. */
export function tableOf(objects: readonly StoredObject[], metadata: JsonObject, options: TableOptions): Table {
  const { printer, includeObject, now } = options
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: options.withColumns ? printer.columns : null,
    rows: objects.map((object) => ({
      cells: printer.cells(object, now),
      ...rowConditions(object),
      ...rowObject(object, includeObject),
    })),
  }
}

/** A bookmark of a watch that sends tables. Its row has no cells. */
export function tableBookmark(metadata: { readonly resourceVersion: string }): Table {
  const object = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata }
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: { resourceVersion: metadata.resourceVersion },
    columnDefinitions: null,
    rows: [{ cells: [], object }],
  }
}

function rowObject(object: StoredObject, include: IncludeObject): { readonly object: JsonObject | null } {
  if (include === 'None') return { object: null }
  if (include === 'Object') return { object }
  const { metadata } = object
  return { object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata } }
}

/** Marks finished pods, so that clients can hide them. */
function rowConditions(object: StoredObject): { readonly conditions?: readonly object[] } {
  const phase = object.kind === 'Pod' ? text(object, 'status', 'phase') : ''
  if (phase !== 'Succeeded' && phase !== 'Failed') return {}
  const message = phase === 'Succeeded' ? 'The pod has completed successfully.' : 'The pod failed.'
  return { conditions: [{ type: 'Completed', status: 'True', reason: phase, message }] }
}
