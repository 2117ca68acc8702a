// Clones one commit of a repository into a folder: from this machine, or from a server.
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { type GroupEnd, type GroupWatch, runGroup } from './process-group.ts'
import { which } from './shell.ts'

export type CloneOrigin =
  | { readonly kind: 'folder'; readonly path: string }
  | {
      readonly kind: 'server'
      /** An HTTP URL. */
      readonly url: string
      /** The value of the header `Authorization`. */
      readonly authorization: string
    }

export type CloneTarget = {
  readonly origin: CloneOrigin
  /** The branch, tag or commit to fetch. */
  readonly source: string
  /** The folder of the clone. Its contents are removed first. */
  readonly folder: string
  /** The branch of a new repository, which the commit gets unless it is detached. */
  readonly branch: string
  readonly detached: boolean
  /** The number of commits of history, 0 for all. */
  readonly depth: number
}

/** Runs the git commands of actions/checkout: fetch one commit, then check it out. The last one prints the commit. */
export async function cloneCommit(
  target: CloneTarget,
  env: Readonly<Record<string, string>>,
  watch: GroupWatch,
): Promise<GroupEnd> {
  const git = which('git', env['PATH'] ?? '')
  if (!git) return { kind: 'refused', why: 'git: command not found' }
  const { folder, origin } = target
  empty(folder)
  const variables = { ...withoutGit(env), ...loginTo(origin) }
  for (const args of commandsOf(target)) {
    const command = {
      file: git,
      args: ['-c', 'safe.directory=*', '-c', 'advice.detachedHead=false', ...args],
      cwd: folder,
      env: variables,
    }
    const end = await runGroup(command, watch)
    if (end.kind !== 'exited' || end.code !== 0) return end
  }
  return { kind: 'exited', code: 0 }
}

function commandsOf({ origin, source, folder, branch, detached, depth }: CloneTarget): readonly string[][] {
  const upload = 'git -c safe.directory=* -c uploadpack.allowAnySHA1InWant=true upload-pack'
  const local = detached ? 'refs/remotes/origin/checkout' : `refs/remotes/origin/${branch}`
  return [
    ['init', '--quiet', '--initial-branch', branch, folder],
    ['remote', 'add', 'origin', origin.kind === 'folder' ? `file://${origin.path}` : origin.url],
    [
      'fetch',
      '--quiet',
      '--no-tags',
      '--no-recurse-submodules',
      ...(depth > 0 ? [`--depth=${depth}`] : []),
      ...(origin.kind === 'folder' ? [`--upload-pack=${upload}`] : []),
      'origin',
      `+${source}:${local}`,
    ],
    detached
      ? ['checkout', '--quiet', '--force', '--detach', local]
      : ['checkout', '--quiet', '--force', '-B', branch, local],
    ['log', '-1', '--format=%H'],
  ]
}

/** Returns the variables that give git the credential. The arguments of a process are visible to every user of the machine. */
function loginTo(origin: CloneOrigin): Readonly<Record<string, string>> {
  if (origin.kind === 'folder') return {}
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `http.${origin.url}.extraHeader`,
    GIT_CONFIG_VALUE_0: `Authorization: ${origin.authorization}`,
  }
}

function empty(folder: string): void {
  if (existsSync(folder)) {
    for (const name of readdirSync(folder)) rmSync(path.join(folder, name), { recursive: true, force: true })
  }
  mkdirSync(folder, { recursive: true })
}

/** Drops git's own variables. If this program was started by a git hook, they would bind the clone to the hook's repository. */
function withoutGit(env: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('GIT_'))
  return { ...Object.fromEntries(kept), GIT_TERMINAL_PROMPT: '0' }
}
