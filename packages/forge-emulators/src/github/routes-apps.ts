// The routes of a GitHub App: itself, its installations, and their tokens (docs/reference/scale-set-protocol.md#s3-2).
import { type Answer, jsonAnswer } from '@dayfly/kit/http'
import type { Call, Route } from '../server/router.ts'
import { type EmulatedApp, type Installation, verifyApp } from './apps.ts'
import type { Emulation } from './emulation.ts'
import { restError } from './refusal.ts'

/** Returns the same routes under `/api/v3` (GHES) and at the root (`api.*` hosts). */
export function appRoutes(emulation: Emulation, apps: readonly EmulatedApp[]): readonly Route[] {
  const asApp = (run: (app: EmulatedApp, call: Call) => Answer) => (call: Call) => {
    const token = /^Bearer (\S+)$/i.exec(call.request.headers['authorization'] ?? '')?.[1]
    if (!token) throw restError(401, 'Requires authentication')
    return run(verifyApp(apps, token, emulation.clock.now()), call)
  }
  const installedAt = (nameOf: (params: Call['params']) => string | undefined) =>
    asApp((app, call) => {
      const account = nameOf(call.params)?.toLowerCase()
      const found = installations(emulation, app).find((each) => each.account.toLowerCase() === account)
      if (!found) throw restError(404, 'Not Found')
      return jsonAnswer(200, installationView(found))
    })
  return ['/api/v3', ''].flatMap((base): Route[] => [
    { method: 'GET', pattern: `${base}/app`, run: asApp((app) => jsonAnswer(200, appView(app))) },
    {
      method: 'GET',
      pattern: `${base}/app/installations`,
      run: asApp((app) => jsonAnswer(200, installations(emulation, app).map(installationView))),
    },
    { method: 'GET', pattern: `${base}/orgs/:org/installation`, run: installedAt(({ org }) => org) },
    { method: 'GET', pattern: `${base}/users/:user/installation`, run: installedAt(({ user }) => user) },
    { method: 'GET', pattern: `${base}/repos/:owner/:repo/installation`, run: installedAt(({ owner }) => owner) },
    {
      method: 'POST',
      pattern: `${base}/app/installations/:installation/access_tokens`,
      run: asApp((app, call) => createToken(emulation, app, Number(call.params['installation']))),
    },
  ])
}

function installations(emulation: Emulation, app: EmulatedApp): readonly Installation[] {
  return [...emulation.installations.values()].filter(({ appId, isRemoved }) => appId === app.id && !isRemoved)
}

function createToken(emulation: Emulation, app: EmulatedApp, id: number): Answer {
  const installation = installations(emulation, app).find((each) => each.id === id)
  if (!installation) throw restError(404, 'Not Found')
  if (installation.isSuspended) throw restError(403, 'This installation has been suspended')
  const now = emulation.clock.now()
  const ttlS = emulation.knobs.installationTtlS
  const claims = {
    kind: 'installation',
    scope: installation.account,
    installation: id,
    serial: installation.serial,
  } as const
  return jsonAnswer(201, {
    token: `ghs_${emulation.tokens.issue(claims, ttlS, now)}`,
    expires_at: new Date((Math.floor(now / 1_000) + ttlS) * 1_000).toISOString(),
    permissions: { metadata: 'read', administration: 'write', organization_self_hosted_runners: 'write' },
    repository_selection: 'all',
  })
}

function appView({ id, clientId }: EmulatedApp): object {
  return { id, client_id: clientId ?? null, slug: `app-${id}`, name: `App ${id}`, events: [] }
}

function installationView({ id, appId, account, isSuspended }: Installation): object {
  const suspended = isSuspended ? { suspended_at: '2026-01-01T00:00:00Z' } : { suspended_at: null }
  return {
    id,
    app_id: appId,
    account: { login: account },
    target_type: 'Organization',
    repository_selection: 'all',
    ...suspended,
  }
}
