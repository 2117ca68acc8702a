// Runs probes. A startup probe delays the containers that follow. A failed startup or liveness probe kills the container. Readiness only shows in the status.
import { linkSignals } from '@dayfly/kit/signals'
import { fieldOf, type PodContext } from './context.ts'
import type { Probe } from './pod.ts'
import { reachContainer } from './reach.ts'
import { type ContainerRecord, idOf } from './record.ts'

/** The defaults of Kubernetes. */
const defaults = {
  periodSeconds: 10,
  timeoutSeconds: 1,
  successThreshold: 1,
  failureThreshold: 3,
  initialDelaySeconds: 0,
}

type Verdict = 'stop' | 'go-on'

/** Runs the container's probes until its current attempt ends. */
export function watchProbes(context: PodContext, record: ContainerRecord): void {
  const { startupProbe, livenessProbe, readinessProbe } = record.spec
  if (!startupProbe && !livenessProbe && !readinessProbe) return
  const over = linkSignals(context.until)
  const end = () => {
    over.abort()
    over.dispose()
  }
  void record.ended.then(end)
  const fail = (failing: 'startup' | 'liveness'): Verdict => {
    record.failing = failing
    context.wake()
    return 'stop'
  }
  const runAll = async () => {
    if (startupProbe && !record.started) {
      await poll(context, record, { word: 'Startup', probe: startupProbe, until: over.signal }, (isGood) => {
        if (!isGood) return fail('startup')
        record.started = true
        context.wake()
        return 'stop'
      })
    }
    const liveness = livenessProbe && { word: 'Liveness', probe: livenessProbe, until: over.signal }
    const readiness = readinessProbe && { word: 'Readiness', probe: readinessProbe, until: over.signal }
    if (!record.started) return
    await Promise.all([
      liveness && poll(context, record, liveness, (isGood) => (isGood ? 'go-on' : fail('liveness'))),
      readiness &&
        poll(context, record, readiness, (isGood) => {
          record.ready = isGood
          context.wake()
          return 'go-on'
        }),
    ])
  }
  runAll().catch((error) => {
    if (!over.signal.aborted) throw error
  })
}

type Watch = { readonly word: string; readonly probe: Probe; readonly until: AbortSignal }

/** Repeats a probe. Calls `report` when the result changes, after as many equal results as the probe's threshold requires. */
async function poll(
  context: PodContext,
  record: ContainerRecord,
  { word, probe, until }: Watch,
  report: (isGood: boolean) => Verdict,
): Promise<void> {
  const settings = { ...defaults, ...probe }
  let reported: boolean | undefined
  let row = { isGood: true, length: 0 }
  await context.clock.sleep(settings.initialDelaySeconds * 1000, until)
  for (;;) {
    const failure = await runProbe(context, record, probe, settings.timeoutSeconds * 1000)
    until.throwIfAborted()
    const isGood = failure === undefined
    if (!isGood) context.events.record('Warning', 'Unhealthy', `${word} probe failed: ${failure}`, fieldOf(record))
    row = { isGood, length: row.isGood === isGood ? row.length + 1 : 1 }
    const threshold = isGood ? settings.successThreshold : settings.failureThreshold
    if (row.length >= threshold && reported !== isGood) {
      reported = isGood
      if (report(isGood) === 'stop') return
    }
    await context.clock.sleep(settings.periodSeconds * 1000, until)
  }
}

/** Returns the reason of the failure, or undefined if the probe succeeded. */
async function runProbe(
  context: PodContext,
  record: ContainerRecord,
  probe: Probe,
  timeoutMs: number,
): Promise<string | undefined> {
  const reached = await reachContainer(context, record, { action: probe, purpose: 'probe', timeoutMs })
  if (reached?.is === 'failed') return reached.message
  if (reached) return isGoodStatus(reached.status) ? undefined : `HTTP probe failed with statuscode: ${reached.status}`
  const command = probe.exec?.command ?? []
  const result = await context.runtime.exec(idOf(context.pod(), record), command, timeoutMs)
  if (result.is === 'failed') return result.message
  if (result.is === 'timed-out') return `command timed out: "${command.join(' ')}" timed out after ${timeoutMs / 1000}s`
  return result.exitCode === 0 ? undefined : result.output
}

/** Whether the status means success. A TCP connection has no status and always succeeds. */
function isGoodStatus(status: number | undefined): boolean {
  return status === undefined || (status >= 200 && status < 400)
}
