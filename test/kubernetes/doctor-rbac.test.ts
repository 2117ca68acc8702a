// Tests the roles that `dayfly doctor rbac` prints on a real API server: a complete repair needs exactly their permissions.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { kubeconfigText } from '@dayfly/cluster/wire/kubeconfig'
import { jsonBody, type Transport } from '@dayfly/kit/http'
import { httpClient } from '@dayfly/kit/http-client'
import { randomName } from '@dayfly/kit/ids'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { connect } from '@dayfly/kubernetes/connect'
import { loadKubeconfig } from '@dayfly/kubernetes/kubeconfig'
import { afterAll, describe, expect, it } from 'vitest'
import { runCli } from '../cli.ts'
import { grantRoles, refusedIn, unusedOf } from '../doctor/granted-role.ts'
import { recordingProxy } from '../doctor/recording-proxy.ts'
import { accounts, clock, object, random } from './client-place.ts'
import { kubeconfig, whyNone } from './cluster.ts'
import { defineCustomKinds } from './custom-kinds.ts'
import { confirmEnds, makeIncidents } from './incidents.ts'
import { liveDoctor } from './live-doctor.ts'

const file = kubeconfig
if (file) describe('the printed roles', () => suite(file))
else describe('the printed roles', () => it('on a real API server', (context) => context.skip(whyNone)))

/** The permissions that no incident of this test needs. */
const unusedHere = [
  // The Job controller of a real cluster removes its finalizers itself.
  'patch pods',
  // The listener and the chart's roles are already being deleted.
  'delete autoscalinglisteners.actions.github.com',
  // The Job of the incidents does not retry, so the doctor deletes only its pod.
  'get jobs.batch',
  'delete jobs.batch',
  'delete rolebindings.rbac.authorization.k8s.io',
  'delete roles.rbac.authorization.k8s.io',
]

function suite(file: string): void {
  const site = `rbac-${randomName(random, 5)}`
  const folder = mkdtempSync(path.join(tmpdir(), 'doctor-rbac-'))
  const ends: (() => Promise<void>)[] = []
  afterAll(async () => {
    for (const end of ends.reverse()) await end()
    rmSync(folder, { recursive: true })
  })

  it('grant every needed permission and no other', async () => {
    const access = await loadKubeconfig(file)
    const admin = connect(access, clock)
    ends.push(admin.close)
    const kubernetes = createKubernetes({ transport: admin.transport, clock, random })
    const kinds = await defineCustomKinds(kubernetes)
    ends.push(kinds.remove)
    const incidents = await makeIncidents({ kubernetes, name: site, now: clock.now })
    ends.push(incidents.remove)
    ends.push(confirmEnds({ kubernetes, clock }, [site]))
    const account = { namespace: `${site}-runners`, name: 'doctor' }
    await kubernetes.create(accounts, object('v1', 'ServiceAccount', account))
    const roles = await runCli(['doctor', 'rbac', '--fixes', '--logs'])
    const grant = await grantRoles(kubernetes, roles.stdout, account)
    ends.push(grant.remove)

    // The connection must not use the credentials of the kubeconfig, because the account has its own token.
    const { ca } = access.tls
    const server = httpClient({ origin: access.server, tls: ca === undefined ? {} : { ca } })
    ends.push(server.close)
    const proxy = await recordingProxy(server.transport)
    ends.push(proxy.endpoint.close)
    const token = await tokenOf(admin.transport, account)
    const at = path.join(folder, 'kubeconfig')
    const { origin, ca: authority } = proxy.endpoint
    writeFileSync(at, kubeconfigText({ server: origin, ca: authority, user: 'doctor', token }), { mode: 0o600 })

    const fix = ['--logs', '--fix', '--remove-finalizers']
    const planned = await liveDoctor(folder, at, ...fix)
    const digest = /--confirm (\w+)/.exec(planned.stderr)?.[1] ?? 'none'
    const done = await liveDoctor(folder, at, ...fix, '--confirm', digest)
    expect(done.stderr).toMatch(/^(\d+) of \1 steps done$/m)
    expect([refusedIn(proxy.exchanges), unusedOf(grant, proxy.exchanges)]).toEqual([[], unusedHere])
  })
}

/** Requests a token for the account (TokenRequest). */
async function tokenOf(
  transport: Transport,
  { namespace, name }: { readonly namespace: string; readonly name: string },
) {
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } }
  const answer = await transport({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    query: {},
    headers: { 'content-type': 'application/json' },
    body: jsonBody(body),
    expect: 'whole',
  })
  const { status } = (answer.body.kind === 'json' ? answer.body.value : {}) as { readonly status?: { token?: string } }
  if (status?.token === undefined) throw new Error(`no token: ${JSON.stringify(answer.body)}`)
  return status.token
}
