// Recognizes runners that wait for jobs indefinitely by design, with a registration that works at each start.
import type { ContainerView, PodView } from '../pod-view.ts'
import { commandsOf } from '../read/shell/commands.ts'

/**
 * Whether the pod's runner is a daemon: Bitbucket's runner, whose OAuth client stays valid (docs/reference/bitbucket.md#s3-2),
 * or a runner with a flag that makes it wait for its job.
 */
export function isLastingRunner({ containers, runner }: Pick<PodView, 'containers' | 'runner'>): boolean {
  const container = containers.find(({ name }) => name === runner)
  return container !== undefined && (isBitbucket(container) || waits(container))
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

/** Matches `forgejo-runner one-job --wait`. */
function waits(container: ContainerView): boolean {
  return commandsOf(container).some(({ words }) => words.includes('--wait'))
}
