// The pods that a runner made for its job, as an explanation of the runner shows them.

import { ageText } from '@dayfly/kit/age-text'
import type { Instant } from '@dayfly/kit/clock'
import { failureOfJobPod } from '@dayfly/runner-set/core/job-pod'
import { type Failure, failureInfo } from '@dayfly/runner-set/model/failure'
import type { JobPod } from '@dayfly/runner-set/model/job-pod'
import { observeJobPod, runnerPodLabel } from '../observe/job-pod.ts'
import type { PodObject } from '../observe/pod-object.ts'
import { pods } from '../resources.ts'
import { type Cluster, listAll } from './read.ts'
import type { RunnerExplanation } from './runner-explanation.ts'

export async function readJobPods(
  cluster: Cluster,
  runner: { readonly namespace: string; readonly name: string },
): Promise<readonly JobPod[]> {
  const { namespace, name } = runner
  const items = await listAll(cluster, pods, { namespace, labelSelector: `${runnerPodLabel}=${name}` })
  return items.flatMap((object) => observeJobPod(object as unknown as PodObject) ?? [])
}

/** Adds each pod of the job to the explanation of its runner. The problem of the runner itself goes first. */
export function withJobPods(
  explanation: RunnerExplanation,
  jobPods: readonly JobPod[],
  { startMaxMs, now }: { readonly startMaxMs: number; readonly now: Instant },
): RunnerExplanation {
  const judged = jobPods.map((pod) => {
    const found = failureOfJobPod(pod, startMaxMs)
    const failure = found && found.dueAt <= now ? found.failure : undefined
    return { pod, failure }
  })
  const sentences = judged.map(({ pod, failure }) => sentenceOf(pod, failure !== undefined, now))
  const problem = explanation.problem ?? judged.map(problemOf).find((one) => one !== undefined)
  return { ...explanation, sentences: [...explanation.sentences, ...sentences], problem }
}

function sentenceOf({ name, endFailure, startCause }: JobPod, isLate: boolean, now: Instant): string {
  if (endFailure) return `The pod ${name} of its job ended ${ageText(now - endFailure.since)} ago, before the job.`
  if (!startCause) return `Its job has the pod ${name}.`
  const since = ageText(now - startCause.since)
  if (isLate) return `The pod ${name} of its job does not start, for ${since}.`
  return `The pod ${name} of its job starts, for ${since}: ${startCause.message}`
}

function problemOf({ pod, failure }: { readonly pod: JobPod; readonly failure: Failure | undefined }) {
  if (!failure) return undefined
  const { sentence, next } = failureInfo(failure.reason)
  return { reason: failure.reason, sentence, detail: `pod ${pod.name}: ${failure.message}`, next }
}
