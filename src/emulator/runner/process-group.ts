// Runs one command as the leader of its own process group, so that a signal reaches everything it started and nothing else.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import type { Clock } from '../../lib/clock.ts'
import { cutLines } from './lines.ts'

export type Command = {
  /** Absolute. */
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

export type GroupWatch = {
  readonly clock: Clock
  /** Each line of stdout and stderr, as they come. A promise makes both streams wait. */
  onLine(line: string): Promise<void> | undefined
  /** Aborted: the group is ended, step by step. */
  readonly stop: AbortSignal
  /** Milliseconds from SIGINT to SIGTERM, and from there to SIGKILL. Asked when the stop begins. */
  patience(): readonly [interrupt: number, terminate: number]
}

export type GroupEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'refused'; readonly why: string }

/** A background process may hold the pipes open for ever: they are left to themselves so long after the last output, */
const quietMs = 300
/** and so long after the leader's end in any case, as the real runner does. */
const lingerMs = 5_000

/** Settles once the leader has ended and its output is read; never rejects. */
export async function runGroup(command: Command, watch: GroupWatch): Promise<GroupEnd> {
  if (watch.stop.aborted) return { kind: 'stopped' }
  if (!existsSync(command.cwd)) return { kind: 'refused', why: `No such directory: '${command.cwd}'.` }
  const { file, args, cwd, env } = command
  let child: ChildProcess
  try {
    // A shell believes PWD where it names its folder: so $PWD is $GITHUB_WORKSPACE also behind a link.
    child = spawn(file, args, { cwd, env: { ...env, PWD: cwd }, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    return refused(file, error)
  }
  const ended = new Promise<GroupEnd>((resolve) => {
    child.once('error', (error) => resolve(refused(file, error)))
    child.once('exit', (code, signal) => resolve({ kind: 'exited', code: code ?? 128 + signalNumber(signal) }))
  })
  const output = readOutput(child, watch)
  const letGo = stopOnAbort(child, watch)
  const end = await ended
  letGo()
  await output.finish()
  if (!watch.stop.aborted || end.kind === 'refused') return end
  // Members that ignored the signals which ended their leader.
  signalGroup(child, 'SIGKILL')
  return { kind: 'stopped' }
}

/** `finish` settles when all output is read, or when a background process only holds the pipes open. */
function readOutput(child: ChildProcess, { clock, onLine }: GroupWatch): { finish(): Promise<void> } {
  let activeAt = clock.now()
  let waiting = 0
  let listening = true
  const read = (stream: Readable): Promise<void> => {
    let hold: Promise<void> | undefined
    const cutter = cutLines((line) => {
      if (listening) hold = onLine(line) ?? hold
    })
    stream.on('error', () => {})
    stream.on('data', (chunk: Buffer) => {
      // Once nobody listens it is still read: a background process shall not die of a closed pipe.
      if (!listening) return
      activeAt = clock.now()
      hold = undefined
      cutter.write(chunk)
      if (!hold) return
      stream.pause()
      waiting++
      void (hold as Promise<void>).then(() => {
        waiting--
        activeAt = clock.now()
        stream.resume()
      })
    })
    return new Promise((resolve) => {
      stream.once('close', () => {
        cutter.end()
        resolve()
      })
    })
  }
  const closed = Promise.all([child.stdout, child.stderr].map((stream) => stream && read(stream)))
  const finish = async () => {
    const wait = new AbortController()
    void closed.then(() => wait.abort())
    activeAt = clock.now()
    const latest = activeAt + lingerMs
    try {
      for (;;) {
        const until = waiting > 0 ? latest : Math.min(activeAt + quietMs, latest)
        if (clock.now() >= until) break
        await clock.sleep(until - clock.now(), wait.signal)
      }
    } catch {
      // Closed: everything is read.
    }
    listening = false
  }
  return { finish }
}

function stopOnAbort(child: ChildProcess, { clock, stop, patience }: GroupWatch): () => void {
  let timer: { cancel(): void } | undefined
  const begin = () => {
    const [interrupt, terminate] = patience()
    signalGroup(child, 'SIGINT')
    timer = clock.after(interrupt, () => {
      signalGroup(child, 'SIGTERM')
      timer = clock.after(terminate, () => signalGroup(child, 'SIGKILL'))
    })
  }
  stop.addEventListener('abort', begin, { once: true })
  return () => {
    stop.removeEventListener('abort', begin)
    timer?.cancel()
  }
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    // The group is gone.
  }
}

function refused(file: string, error: unknown): GroupEnd {
  return { kind: 'refused', why: `'${file}' cannot be started: ${error instanceof Error ? error.message : error}.` }
}

function signalNumber(signal: NodeJS.Signals | null): number {
  return signal === null ? 0 : constants.signals[signal]
}
