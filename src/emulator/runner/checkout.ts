// Runs `actions/checkout`: a clean clone of one commit of the repository with the workflow file, without the network.
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { evaluateText, type Scope } from '../expression.ts'
import type { RunnerStep } from '../job.ts'
import { githubOf } from './environment.ts'
import type { JobState } from './job-state.ts'
import { type GroupEnd, type GroupWatch, runGroup } from './process-group.ts'
import { which } from './shell.ts'

export type CheckoutStep = Extract<RunnerStep, { readonly kind: 'checkout' }>

/** Clones the repository. Throws an `ExpressionFailure`. As on GitHub, a path outside the workspace is refused. */
export async function runCheckout(
  step: CheckoutStep,
  state: JobState,
  due: { readonly scope: Scope; readonly env: Readonly<Record<string, string>> },
  watch: GroupWatch,
): Promise<GroupEnd> {
  const { folders, log } = state.host
  const { repository } = state.job
  if (repository === undefined)
    return refused(
      'The workflow file is not in a git repository with a commit. Commit it to a repository, then run it again.',
    )
  const git = which('git', due.env['PATH'] ?? '')
  if (!git) return refused('git: command not found')
  const target = path.resolve(folders.workspace, evaluateText(step.path ?? '', due.scope))
  if (!`${target}/`.startsWith(`${folders.workspace}/`)) {
    return refused(`Repository path '${target}' is not under '${folders.workspace}'`)
  }
  const wanted = evaluateText(step.ref ?? '', due.scope)
  const depth = Number(evaluateText(step.fetchDepth ?? '1', due.scope) || '1')
  log.write(`##[group]Run actions/checkout (a local clone of ${repository})`)
  empty(target)
  const env = withoutGit(due.env)
  for (const args of commandsOf(state, { target, wanted, depth })) {
    const command = {
      file: git,
      args: ['-c', 'safe.directory=*', '-c', 'advice.detachedHead=false', ...args],
      cwd: target,
      env,
    }
    const end = await runGroup(command, watch)
    if (end.kind !== 'exited' || end.code !== 0) return end
  }
  log.write('##[endgroup]')
  return { kind: 'exited', code: 0 }
}

/** The git commands of the real action: fetch one commit, then check it out on a branch with the run's ref name. */
function commandsOf(
  state: JobState,
  { target, wanted, depth }: { target: string; wanted: string; depth: number },
): readonly (readonly string[])[] {
  const github = githubOf(state.job)
  const branch = String(github['ref_name'] ?? 'main')
  const source = wanted || String(github['sha'])
  const upload = 'git -c safe.directory=* -c uploadpack.allowAnySHA1InWant=true upload-pack'
  const local = wanted === '' ? `refs/remotes/origin/${branch}` : 'refs/remotes/origin/checkout'
  return [
    ['init', '--quiet', '--initial-branch', branch, target],
    ['remote', 'add', 'origin', `file://${state.job.repository}`],
    [
      'fetch',
      '--quiet',
      '--no-tags',
      '--no-recurse-submodules',
      ...(depth > 0 ? [`--depth=${depth}`] : []),
      `--upload-pack=${upload}`,
      'origin',
      `+${source}:${local}`,
    ],
    wanted === ''
      ? ['checkout', '--quiet', '--force', '-B', branch, local]
      : ['checkout', '--quiet', '--force', '--detach', local],
    ['log', '-1', '--format=%H'],
  ]
}

function empty(target: string): void {
  if (existsSync(target)) {
    for (const name of readdirSync(target)) rmSync(path.join(target, name), { recursive: true, force: true })
  }
  mkdirSync(target, { recursive: true })
}

/** Drops git's own variables. If this program was started by a git hook, they would bind the clone to the hook's repository. */
function withoutGit(env: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('GIT_'))
  return { ...Object.fromEntries(kept), GIT_TERMINAL_PROMPT: '0' }
}

function refused(why: string): GroupEnd {
  return { kind: 'refused', why }
}
