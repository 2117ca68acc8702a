// The environment variables and contexts that GitHub provides to every step.
import path from 'node:path'
import type { RunnerJob } from '../job.ts'

export type Folders = {
  readonly workspace: string
  readonly temp: string
  readonly tools: string
}

/** Returns the folders in GitHub's layout: `_work/<repository>/<repository>`, `_work/_temp`, `_work/_tool`. */
export function foldersOf(work: string, job: RunnerJob): Folders {
  const repository =
    String(githubOf(job)['repository'] ?? 'workflow')
      .split('/')
      .at(-1) || 'workflow'
  return {
    workspace: path.join(work, repository, repository),
    temp: path.join(work, '_temp'),
    tools: path.join(work, '_tool'),
  }
}

/** The `runner` context. */
export function runnerContext(name: string, folders: Folders): Readonly<Record<string, string>> {
  return {
    name,
    os: 'Linux',
    arch: process.arch === 'arm64' ? 'ARM64' : 'X64',
    environment: 'self-hosted',
    temp: folders.temp,
    tool_cache: folders.tools,
    workspace: path.dirname(folders.workspace),
  }
}

/** Members of the `github` context that become variables of the same name. */
const exported = [
  'action',
  'action_path',
  'action_ref',
  'action_repository',
  'actor',
  'actor_id',
  'api_url',
  'base_ref',
  'env',
  'event_name',
  'event_path',
  'graphql_url',
  'head_ref',
  'job',
  'output',
  'path',
  'ref',
  'ref_name',
  'ref_protected',
  'ref_type',
  'repository',
  'repository_id',
  'repository_owner',
  'repository_owner_id',
  'retention_days',
  'run_attempt',
  'run_id',
  'run_number',
  'server_url',
  'sha',
  'state',
  'step_summary',
  'triggering_actor',
  'workflow',
  'workflow_ref',
  'workflow_sha',
  'workspace',
] as const

export type EnvironmentParts = {
  /** This program's own variables, without its credential. */
  readonly inherited: Readonly<Record<string, string>>
  /** The `env` context at the start of the step. */
  readonly env: Readonly<Record<string, string>>
  /** The entries of GITHUB_PATH, newest first. */
  readonly paths: readonly string[]
  readonly github: Readonly<Record<string, unknown>>
  readonly runner: Readonly<Record<string, string>>
  readonly trackingId: string
}

/**
 * Returns a step's variables. The workflow's variables override inherited ones, and GitHub's own variables override the workflow's.
 * Variables with the prefix `DAYFLY_` always keep their inherited value.
 */
export function stepEnvironment(parts: EnvironmentParts): Record<string, string> {
  const { inherited, env, paths, github, runner, trackingId } = parts
  const variables: Record<string, string> = { ...inherited, CI: 'true', ...env }
  for (const name of exported) {
    const value = github[name]
    if (value !== undefined && value !== null) variables[`GITHUB_${name.toUpperCase()}`] = String(value)
  }
  for (const [name, value] of Object.entries(runner)) variables[`RUNNER_${name.toUpperCase()}`] = value
  for (const [name, value] of Object.entries(inherited)) if (name.startsWith('DAYFLY_')) variables[name] = value
  variables['GITHUB_ACTIONS'] = 'true'
  variables['RUNNER_TRACKING_ID'] = trackingId
  variables['PATH'] = [...paths, variables['PATH'] ?? '/usr/local/bin:/usr/bin:/bin'].join(':')
  return variables
}

export function githubOf(job: RunnerJob): Readonly<Record<string, unknown>> {
  const github = job.contexts['github']
  return typeof github === 'object' && github !== null ? (github as Readonly<Record<string, unknown>>) : {}
}
