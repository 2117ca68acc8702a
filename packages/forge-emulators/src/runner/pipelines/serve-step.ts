// Serves one step: runs it in a clean folder, streams its log to the forge, and reports its result.
import { rmSync } from 'node:fs'
import path from 'node:path'
import type { RunnerResult, StepMessage } from '../../step.ts'
import { createLog } from '../log.ts'
import { createMask } from '../mask.ts'
import { endOrphans } from '../orphans.ts'
import { createOutbox } from '../outbox.ts'
import { deliver } from '../retry.ts'
import { createStopper, type Stopper } from '../stopper.ts'
import { type DaemonHost, print, type StepLink } from './daemon-host.ts'
import { runStep } from './run-step.ts'

type Self = { readonly secret: string; readonly host: DaemonHost }

/** Never rejects: errors are in the result. */
export async function serveStep(step: StepMessage, link: StepLink, { secret, host }: Self): Promise<void> {
  const { clock } = host
  const { connection, base } = link
  const { accountUuid, repositoryUuid, pipelineUuid, stepUuid } = step
  const ids = { accountUuid, repositoryUuid, pipelineUuid, stepUuid }
  const shown = Object.entries(ids).map(([name, value]) => `${name}=${value}`)
  print(host, `Getting step StepId{${shown.join(', ')}}.`)
  const url = `${base}steps/${encodeURIComponent(stepUuid)}/`
  const outbox = createOutbox((end, body) => connection.call('POST', `${url}${end}`, { body }))
  const mask = createMask()
  mask.add(secret)
  const send = (lines: readonly string[]) => outbox.post('log', { lines })
  // The output of a step stays out of this program's own, because a step could print the lines by which others see a busy runner.
  const log = createLog({ clock, mask, print: () => undefined, send, behind: () => outbox.waiting > 2 })
  const stopper = createStopper()
  const release = keepStep(url, { link, stopper, host })
  const folder = path.join(host.directory, 'steps', stepUuid.slice(1, -1))
  // Two emulators with the same seed give the same UUIDs, and each runner ends every process with its id.
  const trackingId = `step_${stepUuid.slice(1, -1)}_${process.pid}`
  const { inherited } = host
  const result = await runStep(step, { clock, log, stopper, folder, inherited, trackingId })
  release()
  for (const { pid, name } of endOrphans(trackingId, process.pid)) log.write(`Ended the process ${name} (${pid}).`)
  removeFolder(folder, host)
  log.flush()
  await outbox.empty()
  print(host, `Completing step with result Result{status=${result.status}, error=${shownError(result)}}.`)
  const body = { ...result, error: result.error === undefined ? undefined : mask.apply(result.error) }
  await deliver(() => connection.call('POST', `${url}result`, { body, timeoutMs: 10_000 }), host)
}

/** A step may take away its own rights to its files. They stay then, and no other step uses this folder. */
function removeFolder(folder: string, host: DaemonHost): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  } catch (error) {
    print(host, `The folder ${folder} stays: ${error instanceof Error ? error.message : error}`)
  }
}

function shownError({ error }: RunnerResult): string {
  return error === undefined ? 'None' : `Some(${error.replaceAll(/\s+/g, ' ')})`
}

/** Reports that the step goes on, and stops it if the forge has given it up. Returns a function that ends both. */
function keepStep(
  url: string,
  { link, stopper, host }: { readonly link: StepLink; readonly stopper: Stopper; readonly host: DaemonHost },
): () => void {
  const over = new AbortController()
  const renew = async () => {
    const call = { body: {}, signal: over.signal, timeoutMs: 10_000 }
    const reply = await link.connection.call('POST', `${url}renew`, call).catch(() => undefined)
    if (over.signal.aborted) return
    if (reply && [401, 404, 410].includes(reply.status)) stopper.stop('cancelled')
    else timer = host.clock.after(link.renewMs, () => void renew())
  }
  let timer = host.clock.after(link.renewMs, () => void renew())
  const unsubscribe = host.force.onStop(() => stopper.stop('shutdown'))
  if (host.force.reason) stopper.stop('shutdown')
  return () => {
    over.abort()
    timer.cancel()
    unsubscribe()
  }
}
