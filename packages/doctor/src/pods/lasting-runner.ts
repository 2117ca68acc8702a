// Recognizes runners that wait for jobs indefinitely by design, with a registration that works at each start.
import type { ContainerView, PodView } from '../pod-view.ts'
import { commandsOf, programOf } from '../read/shell/commands.ts'
import { startedKind } from './helper-kinds.ts'

/**
 * Whether the pod's runner is a daemon: Bitbucket's runner, whose OAuth client stays valid (docs/reference/bitbucket.md#s3-2),
 * a program that takes job after job, or a runner with a flag that makes it wait for its job.
 */
export function isLastingRunner({ containers, runner }: Pick<PodView, 'containers' | 'runner'>): boolean {
  const container = containers.find(({ name }) => name === runner)
  if (container === undefined) return false
  return isBitbucket(container) || waits(container) || (isDaemon(container) && !containers.some(registersForOneJob))
}

/**
 * Whether the pod's runner is Bitbucket's and runs its own program, which asks for further jobs after each one. Without the OAuth client
 * nothing shows that: the runner may be started for one job.
 */
export function isBitbucketDaemon({ containers, runner }: Pick<PodView, 'containers' | 'runner'>): boolean {
  const container = containers.find(({ name }) => name === runner)
  return container !== undefined && 'OAUTH_CLIENT_ID' in container.env && container.words.length === 0
}

/** Whether Bitbucket's autoscaler creates the Job, and deletes it (docs/reference/bitbucket.md#s4). These labels are its own. */
export function isOfAutoscaler({ labels }: Pick<PodView, 'labels'>): boolean {
  return ['account_uuid', 'runner_uuid', 'runner_namespace'].every((label) => label in labels)
}

function isBitbucket({ image, env }: ContainerView): boolean {
  return (
    'OAUTH_CLIENT_ID' in env ||
    /(^|\/)(bitbucket-pipelines-runner|atlassian-bitbucket-runner)([:@]|$)/.test(image ?? '')
  )
}

/** Whether the container runs the daemon of a runner, by its command or by the start script of Gitea's image (docs/reference/gitea.md#s5-3). */
function isDaemon(container: ContainerView): boolean {
  const commands = commandsOf(container)
  if (commands.some((command) => startedKind(command)?.isWork)) return true
  const isScript = container.words.length === 0 || commands.some((command) => programOf(command) === 'run.sh')
  return isScript && /(^|\/)(act[_-]runner|gitea-runner|gitea\/runner)([:@]|$)/.test(container.image ?? '')
}

/** The server removes such a registration with the end of its job, and the daemon ends, too. */
function registersForOneJob(container: ContainerView): boolean {
  if (['GITEA_RUNNER_EPHEMERAL', 'GITEA_RUNNER_ONCE'].some((name) => name in container.env)) return true
  return commandsOf(container).some(({ words }) => words.includes('--ephemeral'))
}

/** Matches `forgejo-runner one-job --wait`. */
function waits(container: ContainerView): boolean {
  return commandsOf(container).some(({ words }) => words.includes('--wait'))
}
