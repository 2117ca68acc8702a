// The message with which a runner's process gets its step (packages/forge-emulators/src/bitbucket/runner-wire.md).
import type { StepMessage } from '../step.ts'
import type { Step } from './state.ts'

/** Bitbucket's limit of a step without `max-time`. */
const maxTimeMinutes = 120

export function stepMessage({ uuid, spec, repository, pipeline }: Step): StepMessage {
  const workspace = repository.workspace ?? repository
  const full = `${workspace.slug}/${repository.slug}`
  const variables = {
    CI: 'true',
    BITBUCKET_BUILD_NUMBER: String(pipeline.buildNumber),
    BITBUCKET_COMMIT: spec.source?.commit ?? '0'.repeat(40),
    BITBUCKET_BRANCH: spec.source?.branch ?? 'main',
    BITBUCKET_WORKSPACE: workspace.slug,
    BITBUCKET_REPO_SLUG: repository.slug,
    BITBUCKET_REPO_FULL_NAME: full,
    BITBUCKET_REPO_OWNER: workspace.slug,
    BITBUCKET_REPO_OWNER_UUID: `{${workspace.uuid}}`,
    BITBUCKET_REPO_UUID: `{${repository.uuid}}`,
    BITBUCKET_GIT_HTTP_ORIGIN: `http://bitbucket.org/${full}`,
    BITBUCKET_GIT_SSH_ORIGIN: `git@bitbucket.org:${full}.git`,
    BITBUCKET_PIPELINE_UUID: `{${pipeline.uuid}}`,
    BITBUCKET_STEP_UUID: `{${uuid}}`,
    BITBUCKET_STEP_RUN_NUMBER: '1',
  }
  return {
    accountUuid: `{${workspace.uuid}}`,
    repositoryUuid: `{${repository.uuid}}`,
    pipelineUuid: `{${pipeline.uuid}}`,
    stepUuid: `{${uuid}}`,
    script: spec.script ?? waitOf(spec),
    afterScript: spec.afterScript ?? [],
    maxTimeMinutes: spec.maxTimeMinutes ?? maxTimeMinutes,
    variables: withoutBranch({ ...variables, ...spec.variables }),
    source: spec.source,
  }
}

/** A build of a tag has no branch. */
function withoutBranch(variables: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { BITBUCKET_BRANCH, ...rest } = variables
  return variables['BITBUCKET_TAG'] === undefined || BITBUCKET_BRANCH === undefined ? variables : rest
}

/** A step without a script does what a stub runner does: it waits, and then has its result. */
function waitOf({ durationMs, result = 'SUCCESSFUL' }: Step['spec']): readonly string[] {
  const wait = durationMs === undefined ? 'sleep infinity' : `sleep ${durationMs / 1_000}`
  return result === 'SUCCESSFUL' ? [wait] : [wait, 'exit 1']
}
