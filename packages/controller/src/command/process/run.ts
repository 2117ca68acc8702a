// Runs one controller process: health server, checks before the start, controller, orderly end.
import { hostname } from 'node:os'
import { Interrupted } from '@dayfly/command-line/interruption'
import { version } from '@dayfly/command-line/version'
import type { AnomalyLog } from '@dayfly/forges/github/session/protocol-anomaly'
import { createForges } from '@dayfly/forges/open/forges'
import type { Clock, Timer } from '@dayfly/kit/clock'
import { randomName } from '@dayfly/kit/ids'
import type { Random } from '@dayfly/kit/random'
import { aborted } from '@dayfly/kit/signals'
import { systemStopwatch, systemUpperStopwatch } from '@dayfly/kit/system'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { renewingConnection } from '@dayfly/kubernetes/connect'
import type { Kubeconfig } from '@dayfly/kubernetes/kubeconfig'
import { followServerTime } from '@dayfly/kubernetes/server-time'
import { parseRunnerSet } from '@dayfly/runner-set/config/runner-set'
import { defaultLimits } from '@dayfly/runner-set/model/limits'
import { type Controller, startController } from '../../controller.ts'
import { aliveChecks, readyChecks } from '../../health/checks.ts'
import type { Journal } from '../../journal.ts'
import { createMetrics, type Metrics } from '../../metrics/metrics.ts'
import type { PageSettings } from '../../page/open-page.ts'
import { serveHealth } from './health-server.ts'
import type { ListenAddress } from './listen-address.ts'
import { preflight } from './preflight.ts'
import { followWithTelemetry } from './telemetry.ts'
import { serveWebhooks, type WebhookSettings } from './webhooks.ts'

export type ControllerSettings = {
  readonly kubeconfig: Kubeconfig
  /** Reads the kubeconfig, or the ServiceAccount of the pod, again. */
  readonly readKubeconfig: () => Promise<Kubeconfig>
  /** Undefined: no health server. */
  readonly health: ListenAddress | undefined
  /** Undefined: no page. */
  readonly page: PageSettings | undefined
  /** Undefined: no address for webhooks. */
  readonly webhooks: WebhookSettings | undefined
  readonly namespace: string | undefined
  readonly costLabels: boolean
  readonly lease: { readonly namespace: string; readonly name: string }
  /** The name of this pod; undefined outside a pod that passes it. */
  readonly podName: string | undefined
}

export type Host = { readonly clock: Clock; readonly random: Random; readonly journal: Journal }

/** The process ends within this time after the first signal, in milliseconds: its pod has a grace period of 60 s. */
const endMsMax = 45_000
/** A timer runs this often, so that a health check sees whether timers run. */
const beatMs = 1_000

/** Resolves after an orderly end. Rejects with a `CliFailure` if the controller cannot start. */
export async function runController(settings: ControllerSettings, host: Host, until: AbortSignal): Promise<void> {
  const closers: (() => Promise<void>)[] = []
  try {
    await run(settings, host, closers, until)
  } finally {
    for (const close of closers.splice(0).reverse()) await close()
  }
}

async function run(
  settings: ControllerSettings,
  host: Host,
  closers: (() => Promise<void>)[],
  until: AbortSignal,
): Promise<void> {
  const { kubeconfig, health, namespace, costLabels, lease, podName } = settings
  const { random, journal } = host
  const time = followServerTime(host.clock, systemStopwatch)
  const { clock } = time
  const userAgent = `dayfly/${version}`
  const identity = `${podName || hostname()}_${randomName(random, 8)}`
  const metrics = createMetrics(version, systemStopwatch)
  journal.subscribe(metrics.reader)
  const connection = renewingConnection(kubeconfig, clock, settings.readKubeconfig)
  closers.push(connection.close)
  const transport = time.observing(metrics.countKubernetes(connection.transport))
  const kubernetes = createKubernetes({ transport, clock, random, userAgent })
  const onAnomaly: AnomalyLog = ({ kind, set, sentence }) =>
    journal.write({ kind: 'protocol-anomaly', set, anomaly: kind, message: sentence })
  const onExchange = metrics.countForge
  const environment = process.env
  const forges = createForges({ clock, random, userAgent, owner: identity, onAnomaly, onExchange, environment })
  closers.push(forges.close)
  const running: { controller?: Controller; waiting?: string } = {}
  const state = () => running.controller?.state()
  closers.push(await followWithTelemetry({ environment, identity, clock: host.clock, journal, state }))
  if (health) closers.push(await listen(health, { ...host, clock }, metrics, running))
  if (settings.page) {
    // Most processes serve no page, and start faster without its code.
    const { openPage } = await import('../../page/open-page.ts')
    const ports = { clock, random, journal, kubernetes, transport, limits: defaultLimits, userAgent, version }
    const page = await openPage(settings.page, {
      ...ports,
      controller: () => running.controller,
      figures: metrics.figures,
    })
    journal.write({ kind: 'dashboard-listening', address: page.origin })
    closers.push(page.close)
  }
  if (settings.webhooks) closers.push(await takeWebhooks(settings.webhooks, () => forges.hasten('gitea'), journal))
  const onWaiting = (why: string) => {
    if (running.waiting !== why) journal.write({ kind: 'cluster-unavailable', message: why })
    running.waiting = why
  }
  await preflight({ kubernetes, clock, random, namespace, lease, server: kubeconfig.server, onWaiting }, until)
  const { forgeFor } = forges
  const { measureTick } = metrics
  const ports = {
    kubernetes,
    transport,
    forgeFor,
    parseSet: parseRunnerSet,
    clock,
    stopwatch: systemUpperStopwatch,
    random,
    measureTick,
  }
  const controller = startController(
    { ...ports, limits: defaultLimits, identity, lease, namespace, costLabels },
    journal,
  )
  running.controller = controller
  await aborted(until)
  const why = until.reason instanceof Interrupted ? until.reason.message : 'its work is over'
  journal.write({ kind: 'controller-stopping', why })
  const late = clock.after(endMsMax, () => {
    journal.write({ kind: 'stop-cut-short', afterMs: endMsMax })
    process.exit(1)
  })
  await controller.stop()
  late.cancel()
}

/** Lets deliveries of webhooks make polls come at once. Returns how to end that. */
async function takeWebhooks(
  settings: WebhookSettings,
  onHint: () => void,
  journal: Journal,
): Promise<() => Promise<void>> {
  const server = await serveWebhooks(settings, onHint)
  journal.write({ kind: 'webhooks-listening', address: server.origin })
  return server.close
}

/** Serves health checks of what is running, from now on. Returns how to end that. */
async function listen(
  address: ListenAddress,
  { clock, journal }: Host,
  metrics: Metrics,
  running: { readonly controller?: Controller; readonly waiting?: string },
): Promise<() => Promise<void>> {
  let beatAt = clock.now()
  const server = await serveHealth(address, {
    alive: () => aliveChecks(running.controller?.state(), beatAt, clock.now()),
    ready: () => readyChecks(running.controller?.state(), running.waiting, clock.now()),
    metrics: () => metrics.scrape(running.controller?.state()),
  })
  journal.write({ kind: 'health-listening', address: server.origin })
  let beat: Timer
  const next = () => {
    beatAt = clock.now()
    beat = clock.after(beatMs, next)
  }
  next()
  return async () => {
    beat.cancel()
    await server.close()
  }
}
