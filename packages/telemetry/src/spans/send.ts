// Makes spans of a plan. The ids come from the SDK.

import type { Instant } from '@dayfly/kit/clock'
import { ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import type { SpanPlan, TracePlan } from './plan.ts'

export function sendTrace(tracer: Tracer, { root, children }: TracePlan): void {
  const parent = tracer.startSpan(root.name, startOf(root, SpanKind.SERVER), ROOT_CONTEXT)
  const context = trace.setSpan(ROOT_CONTEXT, parent)
  for (const child of children) finish(tracer.startSpan(child.name, startOf(child, SpanKind.INTERNAL), context), child)
  finish(parent, root)
}

function startOf({ startAt, attributes }: SpanPlan, kind: SpanKind) {
  return { kind, startTime: timeOf(startAt), attributes }
}

function finish(span: Span, { endAt, events, error }: SpanPlan): void {
  for (const { name, at, attributes } of events) span.addEvent(name, attributes, timeOf(at))
  if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error })
  span.end(timeOf(endAt))
}

/** The SDK takes a plain number before the start of the process for an offset from that start. */
function timeOf(at: Instant): [seconds: number, nanoseconds: number] {
  const seconds = Math.floor(at / 1_000)
  return [seconds, Math.round((at - seconds * 1_000) * 1_000_000)]
}
