// Repeats calls to the forge, and waits between them, until this program must end.
import { backoffMs } from '@dayfly/kit/backoff'
import type { Reply } from './connection.ts'
import { type RunnerHost, waitLimits } from './session.ts'

const retries = { baseMs: 1_000, capMs: 30_000 }

/** Repeats a call until the response is neither a server error nor 429. Returns undefined if the forge stays unreachable or this program must end. */
export async function callUntilAnswered(
  call: (signal: AbortSignal) => Promise<Reply>,
  host: RunnerHost,
): Promise<Reply | undefined> {
  const giveUpAt = host.clock.now() + waitLimits.unreachableMs
  const abort = new AbortController()
  const unsubscribe = host.stopper.onStop(() => abort.abort())
  try {
    for (let attempt = 1; host.stopper.reason === undefined; attempt++) {
      const reply = await call(abort.signal).catch(() => undefined)
      if (reply && reply.status < 500 && reply.status !== 429) return reply
      if (host.clock.now() >= giveUpAt) return undefined
      await pause(backoffMs(retries, attempt, host.random), host)
    }
    return undefined
  } finally {
    unsubscribe()
  }
}

/** Waits. Returns false if this program must end. */
export async function pause(ms: number, { clock, stopper }: RunnerHost): Promise<boolean> {
  if (stopper.reason !== undefined) return false
  const abort = new AbortController()
  const unsubscribe = stopper.onStop(() => abort.abort())
  await clock.sleep(ms, abort.signal).catch(() => {})
  unsubscribe()
  return stopper.reason === undefined
}

/** Sends a result until the forge has it, also while this program ends. A status below 500 ends the attempts. */
export async function deliver(send: () => Promise<Reply>, { clock }: RunnerHost): Promise<void> {
  for (const pauseMs of [0, 200, 1_000, 3_000, 5_000]) {
    await clock.sleep(pauseMs)
    const reply = await send().catch(() => undefined)
    if (reply && reply.status < 500) return
  }
}
