// One pass over /proc: which processes belong to which container. A process is known by the mark in its environment, else by its
// working directory, else by its parents.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { markName, placeOf } from './layout.ts'

export type FoundProcess = { readonly pid: number; readonly place: string }

export interface ProcessScan {
  /** Every living process of a container, with the directory it belongs to: a container's, or a pod's volumes where only that is known. */
  run(): readonly FoundProcess[]
}

type Row = { readonly pid: number; readonly parent: number; readonly key: string }

/** @param data the data directory, without symbolic links in it. What a pass learns of a process is remembered, so that one that wipes its environment or moves away is still known. */
export function processScan(data: string): ProcessScan {
  let known = new Map<string, string>()
  const run = () => {
    const rows = readRows()
    const places = new Map<string, string>()
    for (const row of rows.values()) {
      const place = known.get(row.key) ?? placeByItself(data, row.pid)
      if (place) places.set(row.key, place)
    }
    for (const row of rows.values()) {
      const own = places.get(row.key)
      if (own && !own.endsWith('/volumes')) continue
      const inherited = placeByParents(rows, row, places)
      if (inherited) places.set(row.key, inherited)
    }
    known = places
    const found: FoundProcess[] = []
    for (const row of rows.values()) {
      const place = places.get(row.key)
      if (place) found.push({ pid: row.pid, place })
    }
    return found
  }
  return { run }
}

function readRows(): Map<number, Row> {
  const rows = new Map<number, Row>()
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    const row = Number.isInteger(pid) && pid !== process.pid ? readRow(pid) : undefined
    if (row) rows.set(pid, row)
  }
  return rows
}

/** A dead process that nobody has waited for is none: it holds nothing and cannot be killed. */
function readRow(pid: number): Row | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state, parent] = fields
    if (state === 'Z' || state === 'X') return undefined
    return { pid, parent: Number(parent), key: `${pid}:${fields[19]}` }
  } catch {
    return undefined
  }
}

function placeByItself(data: string, pid: number): string | undefined {
  try {
    const prefix = `${markName}=`
    const mark = readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .find((variable) => variable.startsWith(prefix))
    const place = mark && placeOf(data, mark.slice(prefix.length))
    return place ?? placeOf(data, readlinkSync(`/proc/${pid}/cwd`))
  } catch {
    return undefined
  }
}

function placeByParents(
  rows: ReadonlyMap<number, Row>,
  row: Row,
  places: ReadonlyMap<string, string>,
): string | undefined {
  for (let parent = rows.get(row.parent); parent; parent = rows.get(parent.parent)) {
    const place = places.get(parent.key)
    if (place && !place.endsWith('/volumes')) return place
  }
  return undefined
}
