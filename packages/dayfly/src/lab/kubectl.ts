// The output that kubectl would print: the API server's own tables, and containers as a JSONPath prints them.
import { pods } from '@dayfly/controller/resources'
import { noBody } from '@dayfly/kit/http'
import { listAt, numberAt, textAt, valueAt } from '@dayfly/kit/read-json'
import { collectionPath } from '@dayfly/kubernetes/path'
import type { Resource } from '@dayfly/kubernetes/types'
import { listIn } from './objects.ts'
import type { World } from './world.ts'

/** The command that prints the state of each container. */
export const statesCommand = (namespace: string) =>
  `kubectl -n ${namespace} get pods -o jsonpath='{range .items[*].status.containerStatuses[*]}{.name}{": "}{.state}{"\\n"}{end}'`

/** @param priority the highest priority of a column that is shown: 1 is `-o wide` */
export async function tableOf(
  world: World,
  resource: Resource,
  namespace: string,
  priority: 0 | 1 = 0,
): Promise<readonly string[]> {
  const path = collectionPath(resource, namespace)
  const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
  const answer = await world.transport({ method: 'GET', path, query: {}, headers, body: noBody, expect: 'whole' })
  const table = answer.body.kind === 'json' ? answer.body.value : undefined
  const columns = listAt(table, 'columnDefinitions').map((column) => (numberAt(column, 'priority') ?? 0) <= priority)
  const keep = (cells: readonly unknown[]) =>
    cells.filter((_, index) => columns[index]).map((cell) => String(cell ?? ''))
  const titles = listAt(table, 'columnDefinitions').map((column) => (textAt(column, 'name') ?? '').toUpperCase())
  const rows = listAt(table, 'rows').map((row) => keep(listAt(row, 'cells')))
  return rows.length === 0 ? [`No resources found in ${namespace} namespace.`] : aligned([keep(titles), ...rows])
}

/** Pads each column to its widest cell, with three spaces between them. */
function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('   ')
      .trimEnd(),
  )
}

/** The states of the containers of all pods of a namespace, as `statesCommand` prints them. */
export async function statesOf(world: World, namespace: string): Promise<readonly string[]> {
  return (await listIn(world, pods, namespace))
    .flatMap((pod) => listAt(pod, 'status', 'containerStatuses'))
    .map((status) => `${textAt(status, 'name')}: ${JSON.stringify(valueAt(status, 'state'))}`)
}
