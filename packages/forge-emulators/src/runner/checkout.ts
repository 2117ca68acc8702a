// Runs `actions/checkout`: a clean clone of one commit of the repository with the workflow file.
import path from 'node:path'
import { evaluateText, type Scope } from '../expression.ts'
import type { RunnerStep } from '../job.ts'
import { type CloneOrigin, cloneCommit } from './clone.ts'
import { githubOf } from './environment.ts'
import type { JobState } from './job-state.ts'
import type { GroupEnd, GroupWatch } from './process-group.ts'

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
  const folder = path.resolve(folders.workspace, evaluateText(step.path ?? '', due.scope))
  if (!`${folder}/`.startsWith(`${folders.workspace}/`)) {
    return refused(`Repository path '${folder}' is not under '${folders.workspace}'`)
  }
  const wanted = evaluateText(step.ref ?? '', due.scope)
  const depth = Number(evaluateText(step.fetchDepth ?? '1', due.scope) || '1')
  const github = githubOf(state.job)
  const origin = originOf(repository, String(github['token'] ?? ''))
  log.write(`##[group]Run actions/checkout (a ${origin.kind === 'folder' ? 'local ' : ''}clone of ${repository})`)
  const branch = String(github['ref_name'] ?? 'main')
  const source = wanted || String(github['sha'])
  const target = { origin, source, folder, branch, detached: wanted !== '', depth }
  const end = await cloneCommit(target, due.env, watch)
  if (end.kind === 'exited' && end.code === 0) log.write('##[endgroup]')
  return end
}

/** A repository at a forge takes the job's token as a password. */
function originOf(repository: string, token: string): CloneOrigin {
  if (!/^https?:/.test(repository)) return { kind: 'folder', path: repository }
  const basic = Buffer.from(`x-access-token:${token}`).toString('base64')
  return { kind: 'server', url: repository, authorization: `Basic ${basic}` }
}

function refused(why: string): GroupEnd {
  return { kind: 'refused', why }
}
