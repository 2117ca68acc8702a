// The pod spec that a user's template is merged over: the runner of the forge, and the Docker Engine if the set wants one.
import type { ForgeKind, RunnerSet } from '../model/runner-set.ts'
import { dockerForRunner, dockerSpec, workFolder } from './docker-sidecar.ts'
import { mergeTemplate } from './merge.ts'

type Plain = Readonly<Record<string, unknown>>

/** The container that is the runner. */
export const runnerContainer = 'runner'

/** @param secretName the Secret with the runner's credential */
export function defaultSpec({ source, docker }: Pick<RunnerSet, 'source' | 'docker'>, secretName: string): Plain {
  const base = { automountServiceAccountToken: false, enableServiceLinks: false }
  const plain = mergeTemplate(base, runnerOf[source.kind](secretName))
  if (docker === 'none') return plain
  const engine = { ...dockerSpec, containers: [{ name: runnerContainer, ...dockerForRunner[source.kind] }] }
  return mergeTemplate(plain, engine)
}

const runnerOf: Readonly<Record<ForgeKind, (secretName: string) => Plain>> = {
  github: githubRunner,
  bitbucket: bitbucketRunner,
}

/** The folder where the Secret is mounted. The credential is a file and no environment variable: a Secret that is late costs a variable 13 s (docs/reference/experiments.md#e1). */
const credentialFolder = '/run/dayfly'

/** `$DAYFLY_ROOT` is empty in a real container, and the container's folder in the embedded cluster. One start command serves both. */
const githubCommand = [
  '/bin/sh',
  '-c',
  `ACTIONS_RUNNER_INPUT_JITCONFIG="$(cat "\${DAYFLY_ROOT:-}${credentialFolder}/credential")" exec "\${DAYFLY_ROOT:-}/home/runner/run.sh"`,
]

function githubRunner(secretName: string): Plain {
  const container = {
    name: runnerContainer,
    image: 'ghcr.io/actions/actions-runner:latest',
    command: githubCommand,
    env: [{ name: 'ACTIONS_RUNNER_RETURN_VERSION_DEPRECATED_EXIT_CODE', value: '1' }],
    volumeMounts: [{ name: 'dayfly-credential', mountPath: credentialFolder, readOnly: true }],
  }
  return {
    containers: [container],
    volumes: [{ name: 'dayfly-credential', secret: { secretName, defaultMode: 0o444 } }],
  }
}

/** Bitbucket's image reads its credential from the environment alone, and its start command is not documented (docs/reference/bitbucket.md#s3-2). */
function bitbucketRunner(secretName: string): Plain {
  const from = (name: string, isOptional = false) => {
    const secretKeyRef = { name: secretName, key: name, ...(isOptional ? { optional: true } : {}) }
    return { name, valueFrom: { secretKeyRef } }
  }
  const container = {
    name: runnerContainer,
    image: 'docker-public.packages.atlassian.com/sox/atlassian/bitbucket-pipelines-runner:latest',
    env: [
      from('ACCOUNT_UUID'),
      // A runner of a workspace has none.
      from('REPOSITORY_UUID', true),
      from('RUNNER_UUID'),
      from('OAUTH_CLIENT_ID'),
      from('OAUTH_CLIENT_SECRET'),
      { name: 'RUNTIME_PREREQUISITES_ENABLED', value: 'true' },
      { name: 'WORKING_DIRECTORY', value: workFolder },
    ],
    volumeMounts: [{ name: 'dayfly-work', mountPath: workFolder }],
  }
  return { containers: [container], volumes: [{ name: 'dayfly-work', emptyDir: {} }] }
}
