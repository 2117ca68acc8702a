// Finds Jobs that nothing cleans up.
import type { Path } from '@dayfly/kit/read-json'
import { fieldsAt, listAt, numberAt, valueAt } from '@dayfly/kit/read-json'
import type { Fix, Hit } from '../finding.ts'
import type { PodView } from '../pod-view.ts'
import { isBitbucketDaemon, isOfAutoscaler } from '../pods/lasting-runner.ts'
import { copiesVolumes, isSampleJob } from '../pods/one-off-jobs.ts'
import { hitIn, isWhole, jobSpecOf } from '../pods/pod-parts.ts'
import { ttlHolders } from '../pods/ttl-holders.ts'
import { endlessBesideWork } from '../read/shell/endless.ts'
import type { Rule } from '../rule.ts'

export const rule: Rule = {
  slug: 'ttl-missing',
  code: 'JOB201',
  title: 'A Job without a TTL stays in the cluster forever',
  severity: 'warning',
  confidence: 'high',
  modes: ['static', 'live'],
  fix: 'safe',
  check: (facts) => ({ hits: facts.pods.flatMap(check) }),
}

/** Seconds: enough time to read the logs of a run. */
const proposed = 600
/** Seconds: a person looks at a run of hours on the next day. */
const proposedAfterHours = 86_400
const hour = 3600

function check(pod: PodView): readonly Hit[] {
  const job = jobSpecOf(pod)
  if (!job || pod.owner !== 'Job' || !isWhole(pod) || isCleanedUp(pod)) return []
  const path = [...job.path, 'ttlSecondsAfterFinished']
  // The API server treats an empty value as no value.
  if ((valueAt(pod.raw, ...path) ?? undefined) !== undefined) return []
  const hit = {
    path: job.path,
    message:
      'There is no ttlSecondsAfterFinished: after the Job ends, it and its pods stay until someone deletes them. Set it in the spec of the Job.',
    absent: [path, ['metadata', 'annotations', helmHook]],
  }
  // The reader of a sample wants to look at its Job, and deletes it. One who copies a volume wants to read the log of the copy.
  if (isSampleJob(pod) || copiesVolumes(pod)) return [hitIn(pod, { ...hit, severity: 'info' })]
  const severity = waitsForJobs(pod) ? ({ severity: 'info' } as const) : {}
  return [hitIn(pod, { ...hit, ...severity, fix: insertion(pod, path) })]
}

/**
 * Returns the fix. Jobs that cannot end and Jobs with a misplaced TTL get none: other rules report those, and after their fix the
 * next pass adds the TTL.
 */
function insertion(pod: PodView, path: Path): Fix | undefined {
  const isMisplaced = ttlHolders(pod.raw).some((holder) => holder.join() !== 'spec')
  if (isMisplaced || endlessBesideWork(pod).length > 0) return undefined
  const value = seconds(pod)
  return {
    safety: pod.isRunner ? 'safe' : 'unsafe',
    title: `Delete the Job ${value} seconds after it ends`,
    edits: [{ do: 'set', path, value }],
  }
}

/** The forge keeps the log of a runner's job. For other Jobs, a deadline of hours shows a long run. */
function seconds(pod: PodView): number {
  const deadlines = [jobSpecOf(pod)?.path ?? [], pod.path].map((path) =>
    numberAt(pod.raw, ...path, 'activeDeadlineSeconds'),
  )
  const isLong = deadlines.some((deadline) => deadline !== undefined && deadline >= hour)
  return isLong && !pod.isRunner ? proposedAfterHours : proposed
}

/** Whether the Job rarely ends: Bitbucket's runner waits for further jobs, until its autoscaler deletes the Job. One that ended stays. */
function waitsForJobs(pod: PodView): boolean {
  return isBitbucketDaemon(pod) || isOfAutoscaler(pod)
}

/**
 * Returns whether an owner or a Helm hook deletes the Job, or whether Argo CD, Flux or Terraform would run it again after its
 * deletion. Annotations and labels show these tools, and so do the paths that they apply. Terraform's Jobs are its own resources.
 */
function isCleanedUp(pod: PodView): boolean {
  const { repeatedBy, hasOwner, mayBeHook } = pod.delivery ?? {}
  if (repeatedBy !== undefined || hasOwner || mayBeHook) return true
  if (listAt(pod.raw, 'metadata', 'ownerReferences').length > 0) return true
  const names = ['annotations', 'labels'].flatMap((key) => Object.keys(fieldsAt(pod.raw, 'metadata', key) ?? {}))
  return names.some((name) => name === helmHook || gitOps.test(name))
}

const helmHook = 'helm.sh/hook'
const gitOps = /^(argocd\.argoproj\.io|kustomize\.toolkit\.fluxcd\.io)\//
