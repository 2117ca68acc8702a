// Makes the facts of a run before it starts: the `github` context, from git if the workflow file is in a repository.
import path from 'node:path'
import type { Checkout } from '../checkout.ts'
import type { RunFacts } from './message.ts'
import type { Workflow } from './workflow.ts'

/** Returns the contexts of one run. They contain no secret: the token is a placeholder that no server accepts. */
export function runFacts(workflow: Workflow, checkout: Checkout | undefined, runId: number): RunFacts {
  const repository = checkout?.name ?? 'local/workflow'
  const [owner = 'local'] = repository.split('/')
  const branch = checkout?.branch ?? 'main'
  const sha = checkout?.sha ?? '0'.repeat(40)
  const ref = `refs/heads/${branch}`
  const file = checkout ? path.relative(checkout.root, path.resolve(workflow.file)) : path.basename(workflow.file)
  const token = 'ghs_placeholderThatNoServerAccepts000000'
  const server = 'https://github.com'
  const github = {
    token,
    sha,
    ref,
    ref_name: branch,
    ref_type: 'branch',
    ref_protected: false,
    head_ref: '',
    base_ref: '',
    repository,
    repository_owner: owner,
    repositoryUrl: `git://github.com/${repository}.git`,
    repository_id: '1',
    repository_owner_id: '1',
    repository_visibility: 'private',
    run_id: String(runId),
    run_number: String(runId),
    run_attempt: '1',
    retention_days: '90',
    artifact_cache_size_limit: '10',
    actor: owner,
    actor_id: '1',
    triggering_actor: owner,
    workflow: workflow.name,
    workflow_ref: `${repository}/${file}@${ref}`,
    workflow_sha: sha,
    event_name: workflow.event,
    event: { ref, repository: { full_name: repository, default_branch: branch }, inputs: inputTexts(workflow) },
    server_url: server,
    api_url: 'https://api.github.com',
    graphql_url: 'https://api.github.com/graphql',
    secret_source: 'None',
  }
  return {
    contexts: { github, vars: {}, secrets: { GITHUB_TOKEN: token }, inputs: workflow.inputs },
    repository: checkout?.sha ? checkout.root : undefined,
  }
}

/** The event has every input as a text, so that an unticked box is the text `false`, which is truthy. The context `inputs` keeps booleans. */
function inputTexts({ inputs }: Workflow): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, String(value)]))
}
