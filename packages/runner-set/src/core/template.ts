// Whether a pod template can work: our own rules, and what the API server made of it.
import type { Instant } from '@dayfly/kit/clock'
import type { Failure } from '../model/failure.ts'
import type { Limits } from '../model/limits.ts'
import { runnerPrefix } from '../model/runner-names.ts'
import type { RunnerSet } from '../model/runner-set.ts'
import type { TemplateVerdict } from '../model/world.ts'
import { firstDifference } from './difference.ts'
import { buildPod } from './pod.ts'
import { podUseOf } from './pod-use.ts'
import { retryWaitMs } from './retry.ts'
import { hazardsOf, withoutRunner } from './template-rules.ts'

/** Returns the pod that a dry run of the template sends. Its name is the same each time, so that the response can be compared. */
export function trialPod(set: RunnerSet) {
  return buildPod(set, `${runnerPrefix(set)}check`, '0')
}

/** Returns the verdict on a template that the API server accepted in a dry run. @param stored the pod spec from its response */
export function templateVerdict(set: RunnerSet, hash: string, stored: unknown, at: Instant): TemplateVerdict {
  const { spec } = trialPod(set)
  const hazards = hazardsOf(spec)
  const failure =
    withoutRunner(spec) ?? (set.templateChecks === 'enforce' ? hazards[0] : undefined) ?? changeOf(spec, stored)
  if (failure) return { is: 'refused', hash, failure, at, refusals: 1 }
  return { is: 'accepted', hash, warnings: hazards, use: podUseOf(stored), at }
}

/** Returns the verdict on a template that the API server refused, with what its sentence does not say.
 *  @param before the verdict on the same template before; undefined for the first one */
export function refusedTemplate(
  hash: string,
  failure: Failure,
  at: Instant,
  before: TemplateVerdict | undefined,
): TemplateVerdict {
  const old = /init containers without restartPolicy=Always/.test(failure.message)
  const explained = old ? { ...failure, message: `${failure.message} (${sidecarNote})` } : failure
  return { is: 'refused', hash, failure: explained, at, refusals: refusalsOf(before) + 1 }
}

function refusalsOf(verdict: TemplateVerdict | undefined): number {
  return (verdict?.is === 'refused' ? verdict.refusals : verdict?.caution?.refusals) ?? 0
}

/** Adds what an earlier refusal of the same template says: another one counts on, and after an acceptance one start tries first. */
export function afterRefusal(verdict: TemplateVerdict, before: TemplateVerdict | undefined): TemplateVerdict {
  if (before?.is !== 'refused' || before.hash !== verdict.hash) return verdict
  if (verdict.is === 'refused') return { ...verdict, refusals: before.refusals + 1 }
  return { ...verdict, caution: { failure: before.failure, refusals: before.refusals, atOnce: 1 } }
}

/** A runner of the template has its pod and its Secret: one more start at a time may try, until so many do that nothing is held back. */
export function withStarted(verdict: TemplateVerdict | undefined, limits: Limits): TemplateVerdict | undefined {
  if (verdict?.is !== 'accepted' || !verdict.caution) return verdict
  const { failure, atOnce } = verdict.caution
  const caution = atOnce < limits.startsPerTick ? { failure, refusals: 0, atOnce: atOnce + 1 } : undefined
  return { ...verdict, caution }
}

/** Returns when a refused template is checked again: after a back-off, and soon after a pod of the set has given its room free. */
export function checkAgainAt(
  refused: Extract<TemplateVerdict, { is: 'refused' }>,
  freedAt: Instant | undefined,
  limits: Limits,
): Instant {
  const { failure, at, refusals, hash } = refused
  const wait = retryWaitMs(failure.reason, refusals, hash)
  // A rule of the cluster may have refused it, and an administrator may change that rule.
  // The first refusal may have come from a proxy, or from a webhook that was not ready.
  if (wait === undefined) return at + (refusals > 1 ? limits.templateAgainMs : limits.templateSoonMs)
  const signs = freedAt === undefined ? [] : limits.freedAgainMs.map((ms) => freedAt + ms)
  return Math.min(at + wait, ...signs.filter((sign) => sign > at))
}

/** An API server that does not know native sidecars drops the field, and may then refuse what only a sidecar may have. */
const sidecarNote = 'native sidecars need Kubernetes 1.29 or later, and no webhook that drops restartPolicy'

/** The fields that an older API server drops, and why. */
const notes: readonly (readonly [RegExp, string])[] = [
  [/^spec\.initContainers\[\d+\]\.restartPolicy$/, sidecarNote],
  [/\.securityContext\.procMount$/, 'pods with user namespaces need Kubernetes 1.33 or later'],
]

function changeOf(spec: unknown, stored: unknown): Failure | undefined {
  const path = firstDifference(spec, stored, 'spec')
  if (path === undefined) return undefined
  const why = notes.find(([field]) => field.test(path))?.[1]
  return { reason: 'template-changed', message: `${path} was dropped or changed${why === undefined ? '' : `: ${why}`}` }
}
