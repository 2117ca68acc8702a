// Adds up what the processes of each container use, from /proc
// (https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html).
import { type ProcReader, parseStat, procReader } from './proc-file.ts'
import type { ProcessScan } from './processes.ts'

type Amounts = { readonly cpuMs: number; readonly memoryBytes: number }

/** Linux reports times to programs in ticks of this length, on every machine. */
const tickMs = 10

/** The keys are the places of the scan. The time of a child is in that of the parent that has waited for it. */
export function usageByPlace(scan: ProcessScan): ReadonlyMap<string, Amounts> {
  const reader = procReader()
  const places = new Map<string, Amounts>()
  for (const { pid, place } of scan.run()) {
    const used = usageOf(reader, pid)
    const before = places.get(place) ?? { cpuMs: 0, memoryBytes: 0 }
    if (used) {
      places.set(place, {
        cpuMs: before.cpuMs + used.cpuMs,
        memoryBytes: before.memoryBytes + used.memoryBytes,
      })
    }
  }
  return places
}

/** Returns undefined if the process has ended. */
function usageOf(reader: ProcReader, pid: number): Amounts | undefined {
  const stat = reader.read(`/proc/${pid}/stat`)
  const resident = /^VmRSS:\s+(\d+) kB$/m.exec(reader.read(`/proc/${pid}/status`) ?? '')?.[1]
  if (stat === undefined || resident === undefined) return undefined
  return { cpuMs: parseStat(stat).cpuTicks * tickMs, memoryBytes: Number(resident) * 1_024 }
}
