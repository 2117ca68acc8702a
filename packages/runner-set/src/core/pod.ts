// The pod and the Secret of one runner.
import { hashValue } from '@dayfly/kit/hash'
import { apiGroup, runnerSetApiVersion } from '../model/api.ts'
import type { SecretEntries } from '../model/credential.ts'
import type { RunnerSet } from '../model/runner-set.ts'
import { defaultSpec } from './default-spec.ts'
import { withDockerAsSidecar } from './docker-sidecar.ts'
import { withImageForHooks } from './job-pods-spec.ts'
import { mergeTemplate } from './merge.ts'
import { withRunnersImage } from './runner-externals.ts'

export const labels = {
  set: `${apiGroup}/set`,
  runner: `${apiGroup}/runner`,
} as const

export const annotations = {
  registrationId: `${apiGroup}/registration-id`,
  template: `${apiGroup}/template`,
} as const

/** Node autoscalers leave a node alone while it has a pod with these. A template may say otherwise (docs/guide/operate.md). */
const staysOnNode = {
  'karpenter.sh/do-not-disrupt': 'true',
  'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
} as const

/** Returns the pod spec of the set before its template. */
function ownSpec(
  set: Pick<RunnerSet, 'source' | 'network' | 'docker' | 'dockerEngine' | 'jobs' | 'jobPods'>,
  secretName: string,
) {
  return defaultSpec({ ...set, forge: set.source.kind }, secretName)
}

/** Returns a hash of all that a set says about its pods. */
export function templateHash(
  set: Pick<
    RunnerSet,
    'source' | 'network' | 'template' | 'docker' | 'dockerEngine' | 'jobs' | 'jobPods' | 'templateChecks'
  >,
): string {
  return hashValue([set.template, set.templateChecks, ownSpec(set, '')], 10)
}

/**
 * Returns the pod to send.
 * @param registrationId lets a new leader find the registration again
 * @param hash that of the set's template. To compute it takes as long as the pod itself, so who knows it gives it
 */
export function buildPod(set: RunnerSet, name: string, registrationId: string, hash = templateHash(set)) {
  const template = set.template
  const own = template.spec ?? {}
  const withDocker = set.docker === 'none' ? own : withDockerAsSidecar(own)
  const merged = withRunnersImage(mergeTemplate(ownSpec(set, name), withDocker))
  const spec: Record<string, unknown> = {
    ...(set.jobs === 'pods' ? withImageForHooks(merged) : merged),
    restartPolicy: 'Never',
  }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: set.namespace,
      labels: { ...template.metadata?.labels, [labels.set]: set.name, [labels.runner]: name },
      annotations: {
        ...staysOnNode,
        ...template.metadata?.annotations,
        [annotations.registrationId]: registrationId,
        [annotations.template]: hash,
      },
      ownerReferences: [
        {
          apiVersion: runnerSetApiVersion,
          kind: 'RunnerSet',
          name: set.name,
          uid: set.uid,
          controller: true,
          blockOwnerDeletion: false,
        },
      ],
    },
    spec,
  }
}

/** Returns the Secret to send. It holds the credential of one runner. It is immutable and owned by the pod: the garbage collector removes it even if Dayfly is gone. */
export function buildSecret(set: RunnerSet, name: string, podUid: string, credential: SecretEntries) {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace: set.namespace,
      labels: { [labels.set]: set.name, [labels.runner]: name },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid: podUid, blockOwnerDeletion: false }],
    },
    type: `${apiGroup}/credential`,
    immutable: true,
    stringData: credential,
  }
}
