// Tests the admission to the page on a real API server: its token reviews and access reviews decide who sees which namespace.
import { type GateOptions, gateOf } from '@dayfly/controller/page/gate'
import { runnerSets } from '@dayfly/controller/resources'
import { dashboardRights } from '@dayfly/controller/rights'
import type { Request } from '@dayfly/kit/http'
import { noBody } from '@dayfly/kit/http'
import { connect } from '@dayfly/kubernetes/connect'
import { createIdentityCheck } from '@dayfly/kubernetes/identity'
import { loadKubeconfig } from '@dayfly/kubernetes/kubeconfig'
import { createSend } from '@dayfly/kubernetes/send'
import type { KubeObject, Resource } from '@dayfly/kubernetes/types'
import { describe, expect, it, onTestFinished } from 'vitest'
import { accounts, clock, createPlace, eventually, random } from './client-place.ts'
import { kubeconfig, whyNone } from './cluster.ts'

const file = kubeconfig
if (file) describe('the admission to the page', () => suite(file))
else describe('the admission to the page', () => it('on a real API server', (context) => context.skip(whyNone)))

const rbac = 'rbac.authorization.k8s.io'
const kindOf = (plural: string, kind: string, namespaced: boolean): Resource => ({
  ...{ group: rbac, version: 'v1', plural, kind, namespaced },
})
function suite(file: string): void {
  const open = async () => connect(await loadKubeconfig(file), clock)
  const { kubernetes, namespace, transport } = createPlace(open)

  /** Creates an account that may do this. Returns its token, and a connection with it. */
  async function account(name: string, rules: readonly object[], everywhere: boolean) {
    const metadata = { name, namespace }
    await kubernetes.create(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata } as KubeObject)
    const kind = everywhere ? 'ClusterRole' : 'Role'
    const at = everywhere ? { name: `${namespace}-${name}` } : metadata
    const role = kindOf(`${kind.toLowerCase()}s`, kind, !everywhere)
    const binding = kindOf(`${kind.toLowerCase()}bindings`, `${kind}Binding`, !everywhere)
    // The namespace takes its own roles with it.
    if (everywhere)
      onTestFinished(async () => {
        await kubernetes.delete(binding, at)
        await kubernetes.delete(role, at)
      })
    await kubernetes.create(role, { apiVersion: `${rbac}/v1`, kind, metadata: at, rules } as unknown as KubeObject)
    await kubernetes.create(binding, {
      ...{ apiVersion: `${rbac}/v1`, kind: `${kind}Binding`, metadata: at },
      roleRef: { apiGroup: rbac, kind, name: at.name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    } as unknown as KubeObject)
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3_600 } }
    const answer = await createSend({ transport, clock, random })({ method: 'POST', path, body })
    const { status } = (answer.body.kind === 'json' ? answer.body.value : {}) as {
      readonly status: { readonly token: string }
    }
    return status.token
  }

  const sees = [{ apiGroups: [runnerSets.group], resources: [runnerSets.plural], verbs: ['get'] }]
  const ask = (headers: Readonly<Record<string, string>>): Request => ({
    ...{ method: 'GET', path: '/api/snapshot', query: {}, headers, body: noBody, expect: 'whole' },
  })

  it('shows a namespace to who may get its RunnerSets, by the rights of the chart', { timeout: 120_000 }, async () => {
    const reviews = dashboardRights.map(({ resource, verbs }) => ({
      ...{ apiGroups: [resource.group], resources: [resource.plural], verbs },
    }))
    const own = await account('controller', reviews, true)
    const tokens = {
      one: await account('one', sees, false),
      all: await account('all', sees, true),
      none: await account('none', [], false),
    }
    const { server, tls } = await loadKubeconfig(file)
    const token = { kind: 'fixed', token: own } as const
    const controller = connect({ server, namespace, tls: tls?.ca === undefined ? {} : { ca: tls.ca }, token }, clock)
    onTestFinished(controller.close)
    const identity = createIdentityCheck({ transport: controller.transport, clock, random })
    const options = { identity, clock, namespaces: () => [namespace, 'kube-system'] }
    const gate = (kind: GateOptions['kind'], headers: Readonly<Record<string, string>>) =>
      gateOf({ ...options, kind })(ask(headers))
    const byToken = (token: string) => gate({ is: 'token' }, { authorization: `Bearer ${token}` })
    const seen = async (token: string) => {
      const admission = await byToken(token)
      return admission.is === 'admitted' ? admission.scope.key : admission.status
    }
    // A role counts some time after its creation.
    await eventually('all sees everything', async () => (await seen(tokens.all)) === '*')
    await eventually('one sees its namespace', async () => (await seen(tokens.one)) === namespace)
    expect(await seen(tokens.none)).toBe(403)
    expect(await seen('not.a.token')).toBe(401)
    expect(await gate({ is: 'token' }, {})).toMatchObject({ is: 'refused', status: 401 })
    const header = { is: 'header', user: 'X-User', groups: 'X-Groups' } as const
    const user = `system:serviceaccount:${namespace}:one`
    expect(await gate(header, { 'x-user': user })).toMatchObject({ is: 'admitted', scope: { key: namespace } })
    expect(await gate(header, { 'x-user': 'a', 'x-groups': 'system:masters' })).toMatchObject({ scope: { key: '*' } })
    expect(await gate(header, { authorization: `Bearer ${tokens.all}` })).toMatchObject({ status: 401 })
  })
}
