// The lock of a folder: one process writes. A process that died leaves its lock behind, so a lock names its process and is renewed.
import type { Instant } from '@dayfly/kit/clock'
import type { Files } from './files.ts'

export type Owner = { readonly pid: number; readonly host: string; readonly isAlive: (pid: number) => boolean }

/** The holder of a lock. `since` separates two processes with one pid: the first process of a container always has pid 1. */
export type Holder = { readonly pid: number; readonly host: string; readonly since: Instant }

const name = 'lock.json'
/** The process of another host cannot be asked. It renews its lock each minute. */
const staleMs = 180_000

/** Takes the lock. Returns the other holder if there is one. */
export async function takeLock(files: Files, owner: Owner, now: Instant): Promise<Holder | undefined> {
  const text = textOf({ pid: owner.pid, host: owner.host, since: now }, now)
  if (await files.create(name, text)) return undefined
  const found = await readLock(files)
  if (found && !isStale(found, owner, now)) return found
  await files.remove(name)
  if (await files.create(name, text)) return undefined
  return (await readLock(files)) ?? { pid: 0, host: 'an unknown host', since: now }
}

/** Renews our own lock. Returns false if another process has it by now. */
export async function renewLock(files: Files, holder: Holder, now: Instant): Promise<boolean> {
  const found = await readLock(files)
  if (found && !isSame(found, holder)) return false
  await files.replace(name, textOf(holder, now))
  return true
}

export async function releaseLock(files: Files, holder: Holder): Promise<void> {
  const found = await readLock(files)
  if (found && isSame(found, holder)) await files.remove(name)
}

type Found = Holder & { readonly at: Instant }

/** A clock that was set back must not make a lock last forever. */
function isStale({ pid, host, at }: Found, owner: Owner, now: Instant): boolean {
  if (Math.abs(now - at) > staleMs) return true
  return host === owner.host && (pid === owner.pid || !owner.isAlive(pid))
}

function isSame(one: Holder, other: Holder): boolean {
  return one.pid === other.pid && one.host === other.host && one.since === other.since
}

function textOf({ pid, host, since }: Holder, at: Instant): string {
  return `${JSON.stringify({ pid, host, since, at })}\n`
}

/** Returns undefined for a lock that cannot be read: its process died while it wrote. */
async function readLock(files: Files): Promise<Found | undefined> {
  try {
    const found: unknown = JSON.parse((await files.read(name)) ?? '')
    if (typeof found !== 'object' || found === null) return undefined
    const { pid, host, since, at } = found as Record<string, unknown>
    const isWhole = typeof pid === 'number' && typeof host === 'string'
    return isWhole && typeof since === 'number' && typeof at === 'number' ? { pid, host, since, at } : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
