// Reads a container's log. The container writes the file directly, so that the log survives this process.
// The file is watched while it grows: that wakes followers and gives lines their times, exact to about 20 ms.
import { type FSWatcher, statSync, watch } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { Clock, Instant, Timer } from '@dayfly/kit/clock'
import type { RuntimeLogOptions } from '../runtime.ts'
import { keptTimes } from './kept-times.ts'
import type { LogTimes } from './log-times.ts'

export interface LogFile {
  /** Streams the log to its end. With `follow`, it continues until the container has ended. */
  read(options: RuntimeLogOptions, until: AbortSignal): AsyncIterable<string>
  /** Marks the log as complete. */
  end(): void
}

export type LogPlace = {
  /** The log. It must exist. */
  readonly path: string
  /** The file that keeps the times of the log beyond the end of this process. */
  readonly times: string | undefined
  /** When the container started. */
  readonly startedAt: Instant
}

const pauseMs = 20
const pollMs = 200
const blockBytes = 64 * 1024

export function openLog({ path, times: kept, startedAt }: LogPlace, clock: Clock): LogFile {
  const times = keptTimes(kept, startedAt)
  // Lines that came while no process watched are as old as the last of them.
  if (kept !== undefined) recordUnwatched(path, times)
  const waiting = new Set<() => void>()
  let version = 0
  let ended = false
  const update = () => {
    times.record(statSync(path, { throwIfNoEntry: false })?.size ?? 0, clock.now())
    version++
    for (const wake of [...waiting]) wake()
  }
  const stopWatching = watchFile(path, clock, update)
  // The container may have written before the watch began.
  update()
  const change = async (seen: number, until: AbortSignal) => {
    if (seen !== version || until.aborted) return
    await new Promise<void>((resolve) => {
      const wake = () => {
        waiting.delete(wake)
        until.removeEventListener('abort', wake)
        resolve()
      }
      waiting.add(wake)
      until.addEventListener('abort', wake)
    })
  }
  async function* read(options: RuntimeLogOptions, until: AbortSignal): AsyncGenerator<string> {
    const file = await open(path, 'r')
    try {
      const { size } = await file.stat()
      let position = await startOffset(file, options, times, size)
      const decode = options.timestamps ? stampedText(times, position) : plainText()
      // Without `follow`, what the container writes meanwhile is no part of the answer.
      const most = options.follow ? Number.POSITIVE_INFINITY : size - position
      let left = Math.min(options.limitBytes ?? most, most)
      while (left > 0 && !until.aborted) {
        const seen = { version, ended }
        const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(blockBytes, left)), 0, undefined, position)
        if (bytesRead > 0) yield decode(buffer.subarray(0, bytesRead))
        else if (!options.follow || seen.ended) return
        else await change(seen.version, until)
        position += bytesRead
        left -= bytesRead
      }
    } finally {
      await file.close()
    }
  }
  const end = () => {
    ended = true
    stopWatching()
    update()
  }
  return { read, end }
}

function recordUnwatched(path: string, times: LogTimes): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found) times.record(found.size, Math.floor(found.mtimeMs))
}

/** Calls `update` soon after each change, at most once in `pauseMs`. If the host allows no more file watches, it polls instead. */
function watchFile(path: string, clock: Clock, update: () => void): () => void {
  let pause: Timer | undefined
  let missed = false
  const change = () => {
    missed = true
    if (pause) return
    missed = false
    update()
    pause = clock.after(pauseMs, () => {
      pause = undefined
      if (missed) change()
    })
  }
  const poll = () => {
    update()
    pause = clock.after(pollMs, poll)
  }
  let watcher: FSWatcher | undefined
  try {
    watcher = watch(path, { persistent: false }, change)
    watcher.on('error', poll)
  } catch {
    poll()
  }
  return () => {
    watcher?.close()
    pause?.cancel()
  }
}

async function startOffset(
  file: FileHandle,
  options: RuntimeLogOptions,
  times: LogTimes,
  size: number,
): Promise<number> {
  const since = options.since === undefined ? 0 : times.offsetSince(options.since)
  if (options.tailLines === undefined) return since
  return Math.max(since, await tailOffset(file, options.tailLines, size))
}

/** Returns the offset at which the last `lines` lines begin. A line break at the end of the file belongs to the last line. */
async function tailOffset(file: FileHandle, lines: number, size: number): Promise<number> {
  if (lines === 0) return size
  let breaks = 0
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - blockBytes)
    const { buffer } = await file.read(Buffer.alloc(end - start), 0, end - start, start)
    for (let at = buffer.lastIndexOf(10); at >= 0; at = at === 0 ? -1 : buffer.lastIndexOf(10, at - 1)) {
      if (start + at === size - 1) continue
      if (++breaks === lines) return start + at + 1
    }
    end = start
  }
  return 0
}

function plainText(): (bytes: Buffer) => string {
  const decoder = new TextDecoder()
  return (bytes) => decoder.decode(bytes, { stream: true })
}

/** Prefixes each line with the time of its first byte, as the kubelet does. */
function stampedText(times: LogTimes, start: number): (bytes: Buffer) => string {
  const decoder = new TextDecoder()
  let position = start
  let atLineStart = true
  return (bytes) => {
    let text = ''
    for (let from = 0; from < bytes.length; ) {
      const lineBreak = bytes.indexOf(10, from)
      const to = lineBreak < 0 ? bytes.length : lineBreak + 1
      if (atLineStart) text += `${new Date(times.timeOf(position)).toISOString().replace('Z', '000000Z')} `
      text += decoder.decode(bytes.subarray(from, to), { stream: true })
      atLineStart = lineBreak >= 0
      position += to - from
      from = to
    }
    return text
  }
}
