// Finds the git repository of a workflow file or a pipelines file, and the commit that is checked out.
import { execFile } from 'node:child_process'
import path from 'node:path'

/** The git repository of a file that an emulated forge runs. */
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

/** Finds the repository of a file. Returns undefined if git or a repository is missing. `searchPath` is the `PATH` for git. */
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

/** Returns the first line of git's output, or undefined if it fails or prints nothing. Git gets no variable that could point it to another repository. */
function runGit(searchPath: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { timeout: 5_000, env: { PATH: searchPath } }
    execFile('git', ['-c', 'safe.directory=*', ...args], options, (error, stdout) => {
      resolve(error ? undefined : stdout.split('\n', 1)[0]?.trim() || undefined)
    })
  })
}
