// Whether a pod template can work: our own rules, and what the API server made of it.
import type { Instant } from '../lib/clock.ts'
import type { Failure } from '../model/failure.ts'
import type { RunnerSet } from '../model/runner-set.ts'
import type { TemplateVerdict } from '../model/world.ts'
import { firstDifference } from './difference.ts'
import { buildPod, runnerPrefix } from './pod.ts'
import { hazardOf } from './template-rules.ts'

/** Returns the pod that a dry run of the template sends. Its name is the same each time, so that the response can be compared. */
export function trialPod(set: RunnerSet) {
  return buildPod(set, `${runnerPrefix(set)}check`, '0')
}

/** Returns the verdict on a template that the API server accepted in a dry run. @param stored the pod spec from its response */
export function templateVerdict(set: RunnerSet, hash: string, stored: unknown, at: Instant): TemplateVerdict {
  const { spec } = trialPod(set)
  const failure = hazardOf(spec) ?? changeOf(spec, stored)
  return failure ? { is: 'refused', hash, failure, at } : { is: 'accepted', hash, at }
}

function changeOf(spec: unknown, stored: unknown): Failure | undefined {
  const path = firstDifference(spec, stored, 'spec')
  return path === undefined ? undefined : { reason: 'template-changed', message: `${path} was dropped or changed` }
}
