// Reads the facts of a run before it starts: the `github` context, from git if the workflow file is in a repository.
import { execFile } from 'node:child_process'
import path from 'node:path'
import type { RunFacts } from './message.ts'
import type { Workflow } from './workflow.ts'

/** The git repository of a workflow file. */
export type Checkout = {
  /** The absolute path of the repository. */
  readonly root: string
  /** The commit that is checked out; undefined in a repository without commits. */
  readonly sha: string | undefined
  /** The branch; undefined on a detached HEAD. */
  readonly branch: string | undefined
  /** `owner/name` of the remote `origin` on a forge, or `local/<directory>`. */
  readonly name: string
}

/** Finds the repository of a workflow file. Returns undefined if git or a repository is missing. `searchPath` is the `PATH` for git. */
export async function findCheckout(file: string, searchPath: string): Promise<Checkout | undefined> {
  const git = (...args: string[]) => runGit(searchPath, ['-C', path.dirname(path.resolve(file)), ...args])
  const root = await git('rev-parse', '--show-toplevel')
  if (!root) return undefined
  const [sha, branch, remote] = await Promise.all([
    git('rev-parse', '--verify', '--quiet', 'HEAD^{commit}'),
    git('symbolic-ref', '--quiet', '--short', 'HEAD'),
    git('config', '--get', 'remote.origin.url'),
  ])
  const [, named] =
    /^(?:https?:\/\/|ssh:\/\/|[\w.-]+@)[^/:]+(?::\d+)?[/:]([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(remote ?? '') ?? []
  return { root, sha, branch, name: named ?? `local/${path.basename(root)}` }
}

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
    event: { ref, repository: { full_name: repository, default_branch: branch }, inputs: workflow.inputs },
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

/** Returns the first line of git's output, or undefined if it fails or prints nothing. Git gets no variable that could point it to another repository. */
function runGit(searchPath: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { timeout: 5_000, env: { PATH: searchPath } }
    execFile('git', ['-c', 'safe.directory=*', ...args], options, (error, stdout) => {
      resolve(error ? undefined : stdout.split('\n', 1)[0]?.trim() || undefined)
    })
  })
}
