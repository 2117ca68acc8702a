// The pod and the Secret of one runner (design chapter 6, step 2).
import { hashText, hashValue } from '../lib/hash.ts'
import type { RunnerSet } from '../model/runner-set.ts'
import { mergeTemplate } from './merge.ts'

export const labels = {
  set: 'dayfly.dev/set',
  runner: 'dayfly.dev/runner',
} as const

export const annotations = {
  templateHash: 'dayfly.dev/template-hash',
  registrationId: 'dayfly.dev/registration-id',
} as const

/** The container that is the runner. */
export const runnerContainer = 'runner'

/** The key of the Secret, and where it is mounted: a file, never an environment variable of ours (a late Secret costs an environment variable 13 s, experiments 1). */
const credentialKey = 'credential'
const credentialFolder = '/run/dayfly'

/** `$DAYFLY_ROOT` is empty in a real container and the container's folder in the embedded cluster, so one start command serves both. */
const startCommand = [
  '/bin/sh',
  '-c',
  `ACTIONS_RUNNER_INPUT_JITCONFIG="$(cat "\${DAYFLY_ROOT:-}${credentialFolder}/${credentialKey}")" exec "\${DAYFLY_ROOT:-}/home/runner/run.sh"`,
]

/** The name of a set's runners before the random part: the set's own name, cut, and a hash of its UID, so that no two sets ever share a name. */
export function runnerPrefix(set: Pick<RunnerSet, 'name' | 'uid'>): string {
  return `${set.name
    .slice(0, 40)
    .replace(/[.-]+$/, '')
    .replace(/\./g, '-')}-${hashText(set.uid, 5)}-`
}

export function templateHash(set: Pick<RunnerSet, 'template'>): string {
  return hashValue([set.template, defaultSpec(credentialKey)], 10)
}

/** The pod as it is sent. @param name the runner's name; @param registrationId what a new leader needs to find the registration again. */
export function buildPod(set: RunnerSet, name: string, registrationId: string) {
  const template = set.template
  const spec: Record<string, unknown> = {
    ...mergeTemplate(defaultSpec(name), template.spec ?? {}),
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
        ...template.metadata?.annotations,
        [annotations.templateHash]: templateHash(set),
        [annotations.registrationId]: registrationId,
      },
      ownerReferences: [
        {
          apiVersion: 'dayfly.dev/v1alpha1',
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

/** Immutable, owned by the pod: whatever happens to us, garbage collection removes it. */
export function buildSecret(set: RunnerSet, name: string, podUid: string, secret: string) {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace: set.namespace,
      labels: { [labels.set]: set.name, [labels.runner]: name },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid: podUid, blockOwnerDeletion: false }],
    },
    type: 'dayfly.dev/credential',
    immutable: true,
    stringData: { [credentialKey]: secret },
  }
}

function defaultSpec(secretName: string): Readonly<Record<string, unknown>> {
  return {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    containers: [
      {
        name: runnerContainer,
        image: 'ghcr.io/actions/actions-runner:latest',
        command: startCommand,
        env: [{ name: 'ACTIONS_RUNNER_RETURN_VERSION_DEPRECATED_EXIT_CODE', value: '1' }],
        volumeMounts: [{ name: 'dayfly-credential', mountPath: credentialFolder, readOnly: true }],
      },
    ],
    volumes: [{ name: 'dayfly-credential', secret: { secretName, defaultMode: 0o444 } }],
  }
}
