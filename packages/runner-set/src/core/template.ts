// Whether a pod template can work: our own rules, and what the API server made of it.
import type { Instant } from '@dayfly/kit/clock'
import type { Failure } from '../model/failure.ts'
import { runnerPrefix } from '../model/runner-names.ts'
import type { RunnerSet } from '../model/runner-set.ts'
import type { TemplateVerdict } from '../model/world.ts'
import { firstDifference } from './difference.ts'
import { buildPod } from './pod.ts'
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
  return failure ? { is: 'refused', hash, failure, at } : { is: 'accepted', hash, warnings: hazards, at }
}

/** Returns the verdict on a template that the API server refused, with what its sentence does not say. */
export function refusedTemplate(hash: string, failure: Failure, at: Instant): TemplateVerdict {
  const old = /init containers without restartPolicy=Always/.test(failure.message)
  return {
    is: 'refused',
    hash,
    failure: old ? { ...failure, message: `${failure.message} (${sidecarNote})` } : failure,
    at,
  }
}

/** An API server that does not know native sidecars drops the field, and may then refuse what only a sidecar may have. */
const sidecarNote = 'native sidecars need Kubernetes 1.29 or later, and no webhook that drops restartPolicy'

function changeOf(spec: unknown, stored: unknown): Failure | undefined {
  const path = firstDifference(spec, stored, 'spec')
  if (path === undefined) return undefined
  const note = /^spec\.initContainers\[\d+\]\.restartPolicy$/.test(path) ? `: ${sidecarNote}` : ''
  return { reason: 'template-changed', message: `${path} was dropped or changed${note}` }
}
