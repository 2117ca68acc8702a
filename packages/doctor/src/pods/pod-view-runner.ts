// Recognizes the pod of a CI runner by its image, its variables, ARC's own kinds, or a container named `runner` beside a Docker daemon.
import type { ContainerView, PodOwner } from '../pod-view.ts'
import { type Command, commandsOf, programOf } from '../read/shell/commands.ts'

const runnerImages =
  /(?:^|\/)(?:(?:[\w.-]+-)?(?:github|gha|github-actions|actions)-runners?|actions-runner-dind|act_runner|act-runner|forgejo-runner|gitea-runner|bitbucket-pipelines-runner|atlassian-bitbucket-runner|runner-dind|gitlab-runner|woodpecker-agent|drone-runner-docker|azp-agent|azdevops-agent|azure-pipelines-agent|buildkite-agent)(?:[:@]|$)|(?:^|\/)buildkite\/agent(?:[:@]|$)|\/forgejo\/runner(?:[:@]|$)|(?:^|\/)gitea\/(?:act_)?runner(?:[:@]|$)|(?:summerwind|myoung34)\/.*runner/

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

/** The parts of a manifest around its containers. */
type Surroundings = {
  readonly labels: Readonly<Record<string, unknown>>
  /** The types of KEDA's triggers. */
  readonly triggers: readonly unknown[]
  /** The Helm hooks of the object, separated by commas. */
  readonly hooks: string
  /** Its controller makes nothing but runners. */
  readonly isRunner: boolean
}

export function findRunner(
  owner: PodOwner,
  containers: readonly ContainerView[],
  { labels, triggers, hooks, isRunner }: Surroundings,
): Runner {
  if (isListener(labels, containers) || /(^|,)\s*test(-success|-failure)?\s*(,|$)/.test(hooks))
    return { isRunner: false, runner: undefined }
  const ordinary = containers.filter(({ role }) => role === 'container')
  const named = ordinary.find(({ name }) => name === 'runner')
  const lookalike = ordinary.find(looksLikeRunner)
  const certain =
    isRunner ||
    owner === 'arc' ||
    owner === 'RunnerSet' ||
    isLabelled(labels) ||
    triggers.some((type) => forgeTriggers.has(type))
  const runner = certain ? (named ?? lookalike) : (lookalike ?? (named && hasDocker(containers) ? named : undefined))
  return { isRunner: certain || runner !== undefined, runner: runner?.name }
}

function looksLikeRunner(container: ContainerView): boolean {
  const { image, env, words } = container
  if (image !== undefined && runnerImages.test(image)) return !doesSomethingElse(container)
  if (words.some((word) => word.includes('/actions-runner/run.sh') || word === '/home/runner/run.sh')) return true
  const known = Object.keys(env).filter((name) => runnerVariables.has(name))
  // One generic name proves little. Two names do, or one that only runners have.
  return (
    known.length > 1 || known.some((name) => /^(?:ACTIONS_RUNNER|GITEA_|RUNNER_WAIT|RUNNER_SCALE|BUILDKITE)/.test(name))
  )
}

/** Whether the container only waits, moves or tests something, or serves a cache, in place of the image's own program. */
function doesSomethingElse(container: ContainerView): boolean {
  const commands = commandsOf(container)
  if (!Array.isArray(container.raw['command'])) return otherCommand.test(container.words[0] ?? '')
  return commands.length > 0 && commands.every((command) => isOther(command))
}

function isOther(command: Command): boolean {
  const program = programOf(command)
  if (/runner|buildkite-agent/.test(program)) return otherCommand.test(command.words[1] ?? '')
  return /^(sleep|tail|cat|cp|mv|rm|echo|ls|mkdir|chmod|chown|test|\[|true|curl|wget|nc|which|command)$/.test(program)
}

/** The subcommands of runners that run no job. `cache-server` serves the cache of other runners. */
const otherCommand =
  /^(cache-server|generate-config|generate-secret|register|unregister|verify|list|(--?)?(version|help)|-v)$/

/** Whether it is ARC's listener. Its pod has the labels of its set, but it only waits for messages of GitHub. */
function isListener(labels: Readonly<Record<string, unknown>>, containers: readonly ContainerView[]): boolean {
  if (labels['app.kubernetes.io/component'] === 'runner-scale-set-listener') return true
  return containers.some(({ words }) => /^\/(ghalistener|github-runnerscaleset-listener)$/.test(words[0] ?? ''))
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
