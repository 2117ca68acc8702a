// Finds the processes of each container in one pass over /proc: by the mark in their environment, their working directory, or their parents.
import { readdirSync, readlinkSync } from 'node:fs'
import { markName, placeOf } from './layout.ts'
import { type ProcReader, parseStat, procReader } from './proc-file.ts'

export type FoundProcess = { readonly pid: number; readonly place: string }

export interface ProcessScan {
  /** Returns every living process of a container with its place: the container's directory, or the pod's volumes if only the pod is known. */
  run(): readonly FoundProcess[]
}

type Row = { readonly pid: number; readonly parent: number; readonly key: string; readonly isOld: boolean }

/** Creates a scan. It remembers the place of each process, so it still finds a process that clears its environment or changes its directory.
 *
 *  @param data
 the data directory, without symbolic links in its path.
 *  @param since processes that started earlier (`ProcStat.start`) belong to no container. */
export function processScan(data: string, since = 0): ProcessScan {
  const reader = procReader()
  let known = new Map<string, string>()
  const run = () => {
    const rows = readRows(reader, since)
    const places = new Map<string, string>()
    for (const row of rows.values()) {
      const place = known.get(row.key) ?? (row.isOld ? undefined : placeByItself(reader, data, row.pid))
      if (place) places.set(row.key, place)
    }
    for (const row of rows.values()) {
      const own = places.get(row.key)
      if (row.isOld || (own && !own.endsWith('/volumes'))) continue
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

function readRows(reader: ProcReader, since: number): Map<number, Row> {
  const rows = new Map<number, Row>()
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    const text = Number.isInteger(pid) && pid !== process.pid ? reader.read(`/proc/${name}/stat`) : undefined
    if (text === undefined) continue
    const { state, parent, start } = parseStat(text)
    // A zombie holds no resources and cannot be killed, so it is skipped.
    if (state !== 'Z' && state !== 'X') rows.set(pid, { pid, parent, key: `${pid}:${start}`, isOld: start < since })
  }
  return rows
}

function placeByItself(reader: ProcReader, data: string, pid: number): string | undefined {
  const prefix = `${markName}=`
  const environment = reader.read(`/proc/${pid}/environ`)
  const mark = environment?.split('\0').find((variable) => variable.startsWith(prefix))
  const place = mark && placeOf(data, mark.slice(prefix.length))
  if (place) return place
  try {
    return placeOf(data, readlinkSync(`/proc/${pid}/cwd`))
  } catch {
    // The process has ended since the pass began.
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
