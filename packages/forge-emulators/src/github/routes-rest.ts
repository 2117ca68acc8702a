// The routes of GitHub's REST API: registration tokens, the admin connection, runners (docs/reference/scale-set-protocol.md#s3, docs/reference/scale-set-protocol.md#s16-1).
import { type Answer, jsonAnswer } from '@dayfly/kit/http'
import * as z from 'zod'
import { type Call, decodePart, emptyAnswer, type Route } from '../server/router.ts'
import { budgetName, type Installation } from './apps.ts'
import { limits } from './config.ts'
import type { Emulation } from './emulation.ts'
import { installationOfToken } from './installations.ts'
import { jitConfig } from './jit.ts'
import { restError } from './refusal.ts'
import { versionSchedule } from './runner-versions.ts'
import { registerRunner, removeRunner, runnersOf } from './runners.ts'
import { type Runner, type Scope, type ScopeKind, scopeOf } from './state.ts'

export type RestOptions = {
  /** The accepted personal access tokens. If empty, every bearer token is accepted. */
  readonly tokens: readonly string[]
}

/** Returns the same routes under `/api/v3` (GHES) and at the root (`api.*` hosts). */
export function restRoutes(emulation: Emulation, options: RestOptions): readonly Route[] {
  return ['/api/v3', ''].flatMap((base) => [
    { method: 'POST', pattern: `${base}/actions/runner-registration`, run: (call) => adminConnection(emulation, call) },
    ...scopes.flatMap(({ kind, prefix, nameOf }): Route[] => {
      const at = `${base}${prefix}/actions/runners`
      const scoped = (run: (scope: Scope, call: Call) => Answer) => (call: Call) => {
        const account = authorize(emulation, call, options)
        const scope = scopeOf(emulation.state, kind, nameOf(call.params))
        return withinBudget(emulation, account, () => run(scope, call))
      }
      return [
        {
          method: 'POST',
          pattern: `${at}/registration-token`,
          run: scoped((scope) => registrationToken(emulation, scope)),
        },
        { method: 'GET', pattern: at, run: scoped((scope, call) => listRunners(emulation, scope, call)) },
        {
          method: 'POST',
          pattern: `${at}/generate-jitconfig`,
          run: scoped((scope, call) => registerByRest(emulation, scope, call)),
        },
        {
          method: 'GET',
          pattern: `${at}/deprecations/:version`,
          run: scoped((_scope, call) => versionSchedule(emulation, call)),
        },
        {
          method: 'GET',
          pattern: `${at}/:id`,
          run: scoped((scope, call) => jsonAnswer(200, runnerView(findRunner(emulation, scope, call)))),
        },
        { method: 'DELETE', pattern: `${at}/:id`, run: scoped((scope, call) => deleteRunner(emulation, scope, call)) },
      ]
    }),
  ])
}

const scopes: readonly {
  readonly kind: ScopeKind
  readonly prefix: string
  readonly nameOf: (params: Call['params']) => string
}[] = [
  { kind: 'org', prefix: '/orgs/:org', nameOf: (params) => params['org'] ?? '' },
  { kind: 'repo', prefix: '/repos/:owner/:repo', nameOf: (params) => `${params['owner']}/${params['repo']}` },
  { kind: 'enterprise', prefix: '/enterprises/:enterprise', nameOf: (params) => params['enterprise'] ?? '' },
]

/** Returns the name under which GitHub counts the requests of the credential. */
export function authorize(emulation: Emulation, call: Call, options: RestOptions): string {
  const token = /^(?:Bearer|token) (\S+)$/i.exec(call.request.headers['authorization'] ?? '')?.[1]
  if (!token) throw restError(401, 'Requires authentication')
  const installation = installationOfToken(emulation, token)
  if (installation) {
    authorizeInstallation(installation, call)
    return budgetName(installation)
  }
  const known = options.tokens.indexOf(token)
  if (options.tokens.length > 0 && known < 0) throw restError(401, 'Bad credentials')
  return `user ID ${known + 1}`
}

/** An installation reaches its own account, and no enterprise. */
function authorizeInstallation({ account }: Installation, { params }: Call): void {
  if (params['enterprise'] !== undefined) throw restError(403, 'Resource not accessible by integration')
  const owner = params['org'] ?? params['owner'] ?? ''
  if (owner.toLowerCase() !== account.toLowerCase()) throw restError(404, 'Not Found')
}

export function withinBudget({ budgets, knobs, clock }: Emulation, account: string, run: () => Answer): Answer {
  const { headers, refusal } = budgets.take(account, knobs.restBudget, clock.now())
  if (refusal) return refusal
  const answer = run()
  return { ...answer, headers: { ...answer.headers, ...headers } }
}

function registrationToken(emulation: Emulation, scope: Scope): Answer {
  const now = emulation.clock.now()
  const ttlS = limits.registrationTtlS
  const token = emulation.tokens.issue({ kind: 'registration', scope: scope.key }, ttlS, now)
  return jsonAnswer(201, { token, expires_at: new Date(now + ttlS * 1000).toISOString() })
}

const connectionSchema = z.object({ url: z.url(), runner_event: z.literal('register') })

/** Exchanges a registration token for the URL of the Actions service and an admin token. */
function adminConnection(emulation: Emulation, call: Call): Answer {
  const now = emulation.clock.now()
  const token = /^RemoteAuth (\S+)$/i.exec(call.request.headers['authorization'] ?? '')?.[1] ?? ''
  const claims = emulation.tokens.read(token, now)
  if (claims?.kind !== 'registration') throw restError(401, 'Bad credentials')
  const body = connectionSchema.safeParse(call.body)
  if (!body.success) throw restError(422, 'Invalid request: url and runner_event "register" are required')
  const scope = scopeOfUrl(emulation, body.data.url)
  if (!scope) throw restError(404, 'Not Found')
  if (scope.key !== claims.scope) throw restError(403, 'The token was issued for another scope')
  return jsonAnswer(201, {
    url: `${call.origin}/tenant/${scope.key}/`,
    token: emulation.tokens.issue({ kind: 'admin', scope: scope.key }, emulation.knobs.adminTtlS, now),
    token_schema: 'OAuthAccessToken',
    use_v2_flow: true,
  })
}

function scopeOfUrl(emulation: Emulation, url: string): Scope | undefined {
  const parts = new URL(url).pathname.split('/').filter(Boolean).map(decodePart)
  const [first = '', second = ''] = parts
  if (parts.length === 1) return scopeOf(emulation.state, 'org', first)
  if (parts.length !== 2) return undefined
  if (first.toLowerCase() === 'enterprises') return scopeOf(emulation.state, 'enterprise', second)
  return scopeOf(emulation.state, 'repo', `${first}/${second}`)
}

function listRunners(emulation: Emulation, scope: Scope, call: Call): Answer {
  const { name, per_page, page } = call.request.query
  const all = runnersOf(emulation, scope, name)
  const size = Math.min(100, Math.max(1, Number(per_page) || 30))
  const number = Math.max(1, Number(page) || 1)
  const runners = all.slice((number - 1) * size, number * size).map(runnerView)
  const next = new URLSearchParams({ ...call.request.query, page: `${number + 1}` })
  const link = `<${call.origin}${call.request.path}?${next}>; rel="next"`
  return jsonAnswer(200, { total_count: all.length, runners }, number * size < all.length ? { link } : {})
}

const jitSchema = z.object({
  name: z.string().min(1).max(64),
  runner_group_id: z.number().int(),
  labels: z.array(z.string().min(1)).min(1).max(100),
})

/** Registers a runner without a scale set. It may connect but gets no jobs, because all jobs go through scale sets. */
function registerByRest(emulation: Emulation, scope: Scope, call: Call): Answer {
  const body = jitSchema.safeParse(call.body)
  if (!body.success) throw restError(422, 'Invalid request: name, runner_group_id and labels are required')
  const { name, labels } = body.data
  const runner = registerRunner(emulation, { name, labels, scope, set: undefined })
  if (!runner) throw restError(409, `Already exists - A runner with the name ${name} already exists.`)
  return jsonAnswer(201, {
    runner: runnerView(runner),
    encoded_jit_config: jitConfig(emulation, runner, '_work', call.origin),
  })
}

function deleteRunner(emulation: Emulation, scope: Scope, call: Call): Answer {
  const runner = findRunner(emulation, scope, call)
  if (runner.job) throw restError(422, `Runner "${runner.name}" is currently running a job and cannot be deleted.`)
  removeRunner(emulation, runner)
  return emptyAnswer(204)
}

function findRunner(emulation: Emulation, scope: Scope, call: Call): Runner {
  const runner = emulation.state.runners.get(Number(call.params['id']))
  if (runner?.scope !== scope) throw restError(404, 'Not Found')
  return runner
}

function runnerView(runner: Runner): object {
  return {
    id: runner.id,
    runner_group_id: runner.set?.groupId ?? 1,
    name: runner.name,
    os: 'linux',
    status: runner.online ? 'online' : 'offline',
    busy: runner.job !== undefined,
    ephemeral: true,
    version: runner.version ?? null,
    labels: runner.labels.map((name, index) => ({ id: index + 1, name, type: 'custom' })),
  }
}
