// The SDK's providers of traces and of metrics, with the exporters of one process.
import type { Meter, Tracer } from '@opentelemetry/api'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, BatchSpanProcessor, type SpanProcessor } from '@opentelemetry/sdk-trace-base'
import { ATTR_SERVICE_INSTANCE_ID, ATTR_SERVICE_NAME, ATTR_SERVICE_VERSION } from '@opentelemetry/semantic-conventions'
import { type Connections, failureReports, watched } from './exporting.ts'
import type { TelemetryOptions } from './ports.ts'
import type { Settings, Target } from './settings/settings.ts'

export type Traces = {
  readonly tracer: Tracer
  /** Whether so many spans fit into the queue. A trace is sent whole or not at all. */
  readonly hasRoom: (spans: number) => boolean
  shutdown(): Promise<void>
}

export type Metrics = { readonly meter: Meter; shutdown(): Promise<void> }

const scope = 'dayfly'
/** The SDK refuses a bound above the interval. */
const exportMsMax = 30_000

export function openTraces(
  settings: Settings,
  connections: Connections,
  options: TelemetryOptions,
  onLost: (lives: number) => void,
): Traces | undefined {
  const { traces } = settings
  if (!traces) return undefined
  const report = failureReports('traces', options.clock, options.onFailure)
  // At the end, the SDK sends all batches of the queue at once. Its default is 30.
  const concurrencyLimit = traces.queueMax
  const exporter = new OTLPTraceExporter({ ...exporterOptions(traces, connections), concurrencyLimit })
  let waiting = 0
  watched(exporter, (spans, error) => {
    waiting -= spans.length
    if (!error) return
    report(error)
    onLost(spans.filter(({ parentSpanContext }) => parentSpanContext === undefined).length)
  })
  const counting = spanCounter(() => {
    waiting++
  })
  const batching = new BatchSpanProcessor(exporter, { maxQueueSize: traces.queueMax })
  const resource = resourceOf(settings, options)
  const provider = new BasicTracerProvider({ resource, spanProcessors: [counting, batching] })
  return {
    tracer: provider.getTracer(scope, options.version),
    hasRoom: (spans) => waiting + spans <= traces.queueMax,
    shutdown: () => provider.shutdown(),
  }
}

/** Without a target the meter works, and nothing reads it. */
export function openMetrics(settings: Settings, connections: Connections, options: TelemetryOptions): Metrics {
  const { metrics } = settings
  const resource = resourceOf(settings, options)
  const provider = new MeterProvider({ resource, readers: metrics ? [reader(metrics, connections, options)] : [] })
  return { meter: provider.getMeter(scope, options.version), shutdown: () => provider.shutdown() }
}

function reader(
  metrics: NonNullable<Settings['metrics']>,
  connections: Connections,
  { clock, onFailure }: TelemetryOptions,
): PeriodicExportingMetricReader {
  const report = failureReports('metrics', clock, onFailure)
  const exporter = new OTLPMetricExporter(exporterOptions(metrics, connections))
  watched(exporter, (_batch, error) => {
    if (error) report(error)
  })
  const exportTimeoutMillis = Math.min(exportMsMax, metrics.intervalMs)
  return new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: metrics.intervalMs, exportTimeoutMillis })
}

function exporterOptions({ url, headers, timeoutMs, tls }: Target, { agentFor }: Connections) {
  return { url, headers, timeoutMillis: timeoutMs, httpAgentOptions: agentFor(tls) }
}

/** OTEL_SERVICE_NAME wins over OTEL_RESOURCE_ATTRIBUTES, and both win over what the process knows of itself. */
function resourceOf({ serviceName, resource }: Settings, { version, instance }: TelemetryOptions): Resource {
  const own = { [ATTR_SERVICE_NAME]: 'dayfly', [ATTR_SERVICE_VERSION]: version, [ATTR_SERVICE_INSTANCE_ID]: instance }
  const named = serviceName === undefined ? {} : { [ATTR_SERVICE_NAME]: serviceName }
  return defaultResource().merge(resourceFromAttributes({ ...own, ...resource, ...named }))
}

/** Counts the spans that the sampler has chosen, as the batches do. */
function spanCounter(count: () => void): SpanProcessor {
  return {
    onStart: () => {},
    onEnd: (span) => {
      if ((span.spanContext().traceFlags & 1) === 1) count()
    },
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  }
}
