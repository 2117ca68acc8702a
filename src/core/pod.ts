// The pod and the Secret of one runner.
import { hashText, hashValue } from '../lib/hash.ts'
import { apiGroup, runnerSetApiVersion } from '../model/api.ts'
import type { RunnerSet } from '../model/runner-set.ts'
import { dockerForRunner, dockerSpec, withDockerAsSidecar } from './docker-sidecar.ts'
import { mergeTemplate } from './merge.ts'

export const labels = {
  set: `${apiGroup}/set`,
  runner: `${apiGroup}/runner`,
} as const

export const annotations = {
  registrationId: `${apiGroup}/registration-id`,
} as const

/** The container that is the runner. */
export const runnerContainer = 'runner'

/** The key of the Secret, and the folder where it is mounted. The credential is a file and never an environment variable: a Secret that is late costs a variable 13 s (docs/reference/experiments.md#e1). */
const credentialKey = 'credential'
const credentialFolder = '/run/dayfly'

/** `$DAYFLY_ROOT` is empty in a real container, and the container's folder in the embedded cluster. One start command serves both. */
const startCommand = [
  '/bin/sh',
  '-c',
  `ACTIONS_RUNNER_INPUT_JITCONFIG="$(cat "\${DAYFLY_ROOT:-}${credentialFolder}/${credentialKey}")" exec "\${DAYFLY_ROOT:-}/home/runner/run.sh"`,
]

/** Returns the names of a set's runners without their random part: the set's name, cut, and a hash of its UID. No two sets share one. */
export function runnerPrefix(set: Pick<RunnerSet, 'name' | 'uid'>): string {
  return `${set.name
    .slice(0, 40)
    .replace(/[.-]+$/, '')
    .replace(/\./g, '-')}-${hashText(set.uid, 5)}-`
}

export function templateHash(set: Pick<RunnerSet, 'template' | 'docker' | 'templateChecks'>): string {
  return hashValue([set.template, set.templateChecks, defaultSpec(set, credentialKey)], 10)
}

/** Returns the pod to send. @param name the runner's name @param registrationId lets a new leader find the registration again */
export function buildPod(set: RunnerSet, name: string, registrationId: string) {
  const template = set.template
  const own = template.spec ?? {}
  const spec: Record<string, unknown> = {
    ...mergeTemplate(defaultSpec(set, name), set.docker === 'sidecar' ? withDockerAsSidecar(own) : own),
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
        [annotations.registrationId]: registrationId,
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

/** Returns the Secret to send. It is immutable and owned by the pod: the garbage collector removes it even if Dayfly is gone. */
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
    type: `${apiGroup}/credential`,
    immutable: true,
    stringData: { [credentialKey]: secret },
  }
}

function defaultSpec({ docker }: Pick<RunnerSet, 'docker'>, secretName: string): Readonly<Record<string, unknown>> {
  const plain = {
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
  if (docker === 'none') return plain
  return mergeTemplate(plain, { ...dockerSpec, containers: [{ name: runnerContainer, ...dockerForRunner }] })
}
