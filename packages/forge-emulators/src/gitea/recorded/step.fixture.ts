// The steps of a sequence of calls to Gitea, and the users and repositories that it expects.
import type { Method } from '@dayfly/kit/http'

/** The users and their tokens. The organization acme has the private repositories app, site and old. */
export const callers = {
  /** The site administrator, who also owns no part of acme. */
  admin: { user: 'root1', scopes: ['all'] },
  siteWriter: { user: 'root1', scopes: ['write:admin'] },
  siteReader: { user: 'root1', scopes: ['read:admin'] },
  /** The owner of acme. */
  boss: { user: 'boss', scopes: ['write:organization', 'write:repository', 'write:user'] },
  bossReader: { user: 'boss', scopes: ['read:organization', 'read:repository', 'read:user'] },
  /** A member of acme, who may read its repositories. */
  member: { user: 'ann', scopes: ['write:organization', 'write:repository'] },
  /** A collaborator of acme/app with the permission `admin`. */
  collaborator: { user: 'bob', scopes: ['write:repository'] },
  stranger: { user: 'zed', scopes: ['all'] },
} as const satisfies Readonly<Record<string, { readonly user: string; readonly scopes: readonly string[] }>>

export type Caller = keyof typeof callers | 'nobody' | 'wrongToken'

/** Names for values of the answer, by their dotted path. Later steps use them as `$name`. */
type Keep = Readonly<Record<string, string>>

export type Step =
  | {
      readonly do: 'rest'
      readonly title: string
      /** The default is `boss`. */
      readonly as?: Caller
      /** The method, and the path below `/api/v1` with its query. */
      readonly call: `${Method} /${string}`
      readonly body?: unknown
      readonly keep?: Keep
      /** Repeats the call until the answer contains this text. A queue makes the jobs of a run. */
      readonly until?: string
    }
  | {
      readonly do: 'rpc'
      readonly title: string
      readonly method: string
      /** The name of a runner whose `NAME.uuid` and `NAME.token` an earlier step kept. */
      readonly runner?: string
      readonly message?: unknown
      readonly keep?: Keep
      readonly until?: string
    }
  /** A body that is not a JSON message. */
  | {
      readonly do: 'raw'
      readonly title: string
      readonly method: string
      readonly type: string
      readonly text: string
    }
  /** Commits a workflow, which starts it if it wants pushes. */
  | {
      readonly do: 'commit'
      readonly title: string
      readonly repository: string
      readonly file: string
      readonly workflow: string
    }
  /** Changes that REST cannot make on every server. */
  | { readonly do: 'act'; readonly title: string; readonly act: Act }

export type Act =
  | { readonly is: 'cancel-run'; readonly repository: string; readonly run: string }
  | { readonly is: 'reset-registration-token'; readonly repository: string }
  | { readonly is: 'rename'; readonly repository: string; readonly to: string }
  | { readonly is: 'archive'; readonly repository: string }
  | { readonly is: 'disable-actions'; readonly repository: string }
  | { readonly is: 'revoke'; readonly caller: keyof typeof callers }

export type StepAnswer = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** One line of the file of answers. */
export type Recorded = { readonly title: string; readonly answer: StepAnswer }

/** The repositories of acme that exist before the first step. */
export const repositories = ['app', 'site', 'old'] as const
