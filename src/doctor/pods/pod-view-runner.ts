// Recognizes the pod of a CI runner by its image, its variables, ARC's own kinds, or a container named `runner` beside a Docker daemon.

import type { ContainerView, PodOwner } from '../pod-view.ts'
import { commandsOf, programOf } from './commands.ts'

const runnerImages =
  /(?:^|\/)(?:(?:[\w.-]+-)?(?:github|gha|github-actions|actions)-runners?|actions-runner-dind|act_runner|act-runner|forgejo-runner|gitea-runner|bitbucket-pipelines-runner|atlassian-bitbucket-runner|runner-dind|gitlab-runner|woodpecker-agent|drone-runner-docker|azp-agent|azdevops-agent|azure-pipelines-agent|buildkite-agent)(?:[:@]|$)|(?:^|\/)buildkite\/agent(?:[:@]|$)|\/forgejo\/runner(?:[:@]|$)|\/gitea\/(?:act_)?runner(?:[:@]|$)|(?:summerwind|myoung34)\/.*runner/

const runnerVariables: ReadonlySet<string> = new Set([
  'ACTIONS_RUNNER_INPUT_JITCONFIG',
  'ACTIONS_RUNNER_INPUT_TOKEN',
  'ACTIONS_RUNNER_REQUIRE_JOB_CONTAINER',
  'ACTIONS_RUNNER_CONTAINER_HOOKS',
  'RUNNER_WAIT_FOR_DOCKER_IN_SECONDS',
  'RUNNER_TOKEN',
  'RUNNER_SCALE_SET_NAME',
  'GITEA_RUNNER_REGISTRATION_TOKEN',
  'GITEA_INSTANCE_URL',
  'RUNNER_UUID',
  'OAUTH_CLIENT_ID',
  'ACCOUNT_UUID',
  'BUILDKITE_AGENT_TOKEN',
  'AZP_URL',
  'AZP_TOKEN',
  'AZP_POOL',
  'WOODPECKER_SERVER',
  'WOODPECKER_AGENT_SECRET',
])

/** The triggers with which KEDA creates a Job for each waiting CI job. */
const forgeTriggers: ReadonlySet<unknown> = new Set(['github-runner', 'forgejo-runner', 'azure-pipelines'])

type Runner = { readonly isRunner: boolean; readonly runner: string | undefined }

export function findRunner(
  owner: PodOwner,
  containers: readonly ContainerView[],
  labels: Readonly<Record<string, unknown>>,
  triggers: readonly unknown[],
): Runner {
  const ordinary = containers.filter(({ role }) => role === 'container')
  const named = ordinary.find(({ name }) => name === 'runner')
  const lookalike = ordinary.find(looksLikeRunner)
  const certain =
    owner === 'arc' || owner === 'RunnerSet' || isLabelled(labels) || triggers.some((type) => forgeTriggers.has(type))
  const runner = certain ? (named ?? lookalike) : (lookalike ?? (named && hasDocker(containers) ? named : undefined))
  return { isRunner: certain || runner !== undefined, runner: runner?.name }
}

function looksLikeRunner(container: ContainerView): boolean {
  const { image, env, words } = container
  if (image !== undefined && runnerImages.test(image) && !doesSomethingElse(container)) return true
  if (words.some((word) => word.includes('/actions-runner/run.sh') || word === '/home/runner/run.sh')) return true
  const known = Object.keys(env).filter((name) => runnerVariables.has(name))
  // One generic name proves little. Two names do, or one that only runners have.
  return (
    known.length > 1 || known.some((name) => /^(?:ACTIONS_RUNNER|GITEA_|RUNNER_WAIT|RUNNER_SCALE|BUILDKITE)/.test(name))
  )
}

/** Whether the command only waits or moves files, in place of the image's own program. */
function doesSomethingElse(container: ContainerView): boolean {
  if (!Array.isArray(container.raw['command'])) return false
  const programs = commandsOf(container).map(programOf)
  return (
    programs.length > 0 &&
    programs.every((program) => /^(sleep|tail|cat|cp|mv|rm|echo|ls|mkdir|chmod|chown)$/.test(program))
  )
}

function isLabelled(labels: Readonly<Record<string, unknown>>): boolean {
  return ['actions.github.com/scale-set-name', 'actions-ephemeral-runner', 'runner_uuid', 'dayfly.dev/runner'].some(
    (label) => label in labels,
  )
}

function hasDocker(containers: readonly ContainerView[]): boolean {
  return containers.some(
    ({ image, words }) => /(?:^|[/:-])dind\b|docker:/.test(image ?? '') || words.includes('dockerd'),
  )
}
