// Between the journal and OpenTelemetry's SDK. Only a process with a collector loads this module.
import type { Entry } from '@dayfly/runner-set/model/event'
import { attribute, known } from './attributes.ts'
import { openConnections } from './exporting.ts'
import type { Life } from './lives/life.ts'
import { Lives } from './lives/lives.ts'
import { countRun, countSystem } from './metrics/count.ts'
import { createInstruments, type Instruments } from './metrics/instruments.ts'
import { observeSets } from './metrics/observe.ts'
import type { Telemetry, TelemetryOptions } from './ports.ts'
import { openMetrics, openTraces } from './providers.ts'
import type { Settings } from './settings/settings.ts'
import { planOf } from './spans/plan.ts'
import { sendTrace } from './spans/send.ts'

const closeMsMax = 3_000

export function startSdk(settings: Settings, options: TelemetryOptions): Telemetry {
  const { clock } = options
  const { sets, forgeOf } = rememberForges(options.sets)
  const connections = openConnections()
  const metrics = openMetrics(settings, connections, options)
  const instruments = createInstruments(metrics.meter)
  observeSets(metrics.meter, instruments, sets)
  const dropped = (why: string, lives = 1) => instruments.dropped.add(lives, known({ [attribute.error]: why }))
  const onLost = (lives: number) => dropped('export-failed', lives)
  const traces = openTraces(settings, connections, options, onLost)
  const onOver = (life: Life) => {
    if (!traces || !life.isOurs) return
    const plan = planOf(life, forgeOf(life))
    if (!plan) return
    if (traces.hasRoom(plan.children.length + 1)) sendTrace(traces.tracer, plan)
    else dropped('queue-full')
  }
  const lives = new Lives({ clock, onOver, onDropped: () => dropped('too-many-open') })
  return {
    reader: createReader(lives, instruments),
    close: async () => {
      lives.close()
      const over = Promise.allSettled([traces?.shutdown(), metrics.shutdown()])
      const bound = new AbortController()
      over.then(() => bound.abort())
      await clock.sleep(closeMsMax, bound.signal).catch(() => {})
      connections.close()
    },
  }
}

/** The last lives of a term end when the process leads no more, and so sees no sets. */
function rememberForges(read: TelemetryOptions['sets']) {
  let forges: ReadonlyMap<string, string> = new Map()
  const sets = () => {
    const all = read()
    if (all.length > 0) forges = new Map(all.map(({ namespace, set, forge }) => [`${namespace}/${set}`, forge]))
    return all
  }
  const forgeOf = ({ namespace, set }: Life) => {
    const key = `${namespace}/${set}`
    if (!forges.has(key)) sets()
    return forges.get(key)
  }
  return { sets, forgeOf }
}

/** A process that does not lead follows the lives, because it may lead before they end. It counts none of them. */
function createReader(lives: Lives, instruments: Instruments): (entry: Entry) => void {
  let leading = false
  return ({ at, event }) => {
    if (event.kind === 'leadership-gained') leading = true
    else if (event.kind === 'leadership-lost') leading = false
    else if (event.kind === 'set-removed') lives.forget(event.namespace, event.set)
    if (leading || !('set' in event)) countSystem(instruments, event)
    if (!('runner' in event)) return
    const life = lives.take(event, at)
    if (life?.steps.gone !== undefined) life.isOurs ??= leading
    if (leading) countRun(instruments, event, life, at)
  }
}
