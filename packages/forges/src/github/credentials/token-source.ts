// A personal access token as the credential (docs/reference/scale-set-protocol.md#s3-1).
import type { Answer } from '@dayfly/kit/http'
import type { RestApi } from '../calls/rest.ts'
import type { SharedLimits } from '../calls/shared-limits.ts'
import type { ConfigUrl } from '../config-url.ts'
import type { Source } from './source.ts'

export function tokenSource(api: RestApi, token: string, limits: SharedLimits): Source {
  return {
    title: 'The credential',
    budget: limits.budget(api.config, token),
    api,
    bearer: async () => token,
    forget: () => false,
    advice: (answer) => adviceFor(token, answer, api.config),
  }
}

type Scope = ConfigUrl['scope']

const classicScopes: Readonly<Record<Scope, string>> = {
  repository: 'repo',
  organization: 'admin:org',
  enterprise: 'manage_runners:enterprise',
}

const permissions: Readonly<Record<Scope, string>> = {
  repository: 'the repository permission "Administration" (read and write)',
  organization: 'the organization permission "Self-hosted runners" (read and write)',
  enterprise: 'a classic token with the scope manage_runners:enterprise instead',
}

/** GitHub answers alike for several causes. The kind of the token and the headers narrow them down. */
function adviceFor(token: string, { status, headers }: Answer, { scope }: ConfigUrl): string {
  if (token.startsWith('ghs_')) {
    return 'It is an installation token, which lives one hour: store the id and the private key of the App instead.'
  }
  if (status === 401) return 'It has expired, was revoked, or is not complete: create a new one.'
  if ((headers['x-github-sso'] ?? '').startsWith('required')) {
    return "The organization requires single sign-on: authorize the token for it in your account's settings."
  }
  if (token.startsWith('github_pat_')) {
    const owner = scope === 'enterprise' ? '' : ` Its resource owner must be the owner of this ${scope}.`
    return `A fine-grained token needs ${permissions[scope]}.${owner}`
  }
  const given = headers['x-oauth-scopes']
  const has = given === undefined ? '' : ` It has ${given.trim() === '' ? 'none' : given.slice(0, 200)}.`
  return `A classic token needs the scope ${classicScopes[scope]}.${has} Its owner must administer this ${scope}.`
}
