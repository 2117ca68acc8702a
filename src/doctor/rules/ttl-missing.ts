// A Job that nothing cleans up.

import type { Path } from '../../lib/read-json.ts'
import { fieldsAt, listAt, valueAt } from '../../lib/read-json.ts'
import type { Fix, Hit } from '../finding.ts'
import type { PodView } from '../pod-view.ts'
import { endlessBesideWork } from '../pods/endless.ts'
import { hitIn, isWhole, jobSpecOf } from '../pods/pod-parts.ts'
import { ttlHolders } from '../pods/ttl-holders.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'ttl-missing',
  code: 'JOB201',
  title: 'A Job without a TTL stays in the cluster for ever',
  severity: 'warning',
  confidence: 'high',
  modes: ['static', 'live'],
  fix: 'safe',
  check: (facts) => ({ hits: facts.pods.flatMap(check) }),
}

/** Seconds: long enough to read the logs of a run. */
const proposed = 600

function check(pod: PodView): readonly Hit[] {
  const job = jobSpecOf(pod)
  if (!job || pod.owner !== 'Job' || !isWhole(pod) || isCleanedUp(pod)) return []
  const path = [...job.path, 'ttlSecondsAfterFinished']
  // An empty value is none to the API server.
  if ((valueAt(pod.raw, ...path) ?? undefined) !== undefined) return []
  return [
    hitIn(pod, {
      path: job.path,
      message: 'No ttlSecondsAfterFinished: when the Job has ended, it and its pod stay until somebody deletes them.',
      fix: insertion(pod, path),
      absent: [path, ['metadata', 'annotations', helmHook]],
    }),
  ]
}

/** None for a Job that cannot end, in which a TTL alone is another error, or whose own TTL is only to be moved: once that is mended, the next pass sees to this. */
function insertion(pod: PodView, path: Path): Fix | undefined {
  const isMisplaced = ttlHolders(pod.raw).some((holder) => holder.join() !== 'spec')
  if (isMisplaced || endlessBesideWork(pod).length > 0) return undefined
  return {
    safety: pod.isRunner ? 'safe' : 'unsafe',
    title: `Delete the Job ${proposed} seconds after it has ended`,
    edits: [{ do: 'set', path, value: proposed }],
  }
}

/** Somebody else deletes it: an owner, or Helm's hooks. Or makes it again when it is gone, and so runs it again: Argo CD (but for its hooks) and Flux, known by their annotations and labels. */
function isCleanedUp(pod: PodView): boolean {
  if (listAt(pod.raw, 'metadata', 'ownerReferences').length > 0) return true
  const names = ['annotations', 'labels'].flatMap((key) => Object.keys(fieldsAt(pod.raw, 'metadata', key) ?? {}))
  return names.some((name) => name === helmHook || gitOps.test(name))
}

const helmHook = 'helm.sh/hook'
const gitOps = /^(argocd\.argoproj\.io|kustomize\.toolkit\.fluxcd\.io)\//
