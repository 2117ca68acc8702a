// The default ClusterRoles, as impersonated users meet them, and roles that join them.
import { type Method, noBody } from '@dayfly/kit/http'
import { expect, test } from 'vitest'
import { clusterRoles } from '../api/default-roles.ts'
import { list } from '../api/values/json.ts'
import { openPodStage } from '../pod-stage.fixture.ts'

const rbac = 'rbac.authorization.k8s.io'

function world() {
  const { registry, cluster, clock } = openPodStage()
  const transport = cluster.transport('admin')
  const bind = (role: string, user: string) =>
    registry.create(`rolebindings.${rbac}`, {
      metadata: { name: user, namespace: 'default' },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: role },
      subjects: [{ apiGroup: rbac, kind: 'User', name: user }],
    })
  const ask = async (user: string, method: Method, path: string) => {
    const headers = { 'impersonate-user': user }
    return (await transport({ method, path, query: {}, headers, body: noBody, expect: 'whole' })).status
  }
  return { registry, clock, bind, ask }
}

test('view reads, edit changes, admin grants, and each only in the namespace of its binding', async () => {
  const { clock, bind, ask } = world()
  await clock.advance(1)
  for (const role of ['view', 'edit', 'admin']) bind(role, role)
  const place = 'namespaces/default'
  const rows = {
    'read a pod': ['GET', `/api/v1/${place}/pods/none`],
    'read a Secret': ['GET', `/api/v1/${place}/secrets/none`],
    'delete a Job': ['DELETE', `/apis/batch/v1/${place}/jobs/none`],
    'delete a Role': ['DELETE', `/apis/${rbac}/v1/${place}/roles/none`],
    'read a pod elsewhere': ['GET', '/api/v1/namespaces/kube-system/pods/none'],
  } as const
  const may = async (user: string) => {
    const answers = Object.entries(rows).map(async ([what, [method, path]]) => {
      const status = await ask(user, method, path)
      // An absent object shows that the request was allowed.
      return status === 404 ? [what] : status === 403 ? [] : [`${what}: ${status}`]
    })
    return (await Promise.all(answers)).flat()
  }
  expect(await may('view')).toEqual(['read a pod'])
  expect(await may('edit')).toEqual(['read a pod', 'read a Secret', 'delete a Job'])
  expect(await may('admin')).toEqual(['read a pod', 'read a Secret', 'delete a Job', 'delete a Role'])
  expect(await may('stranger')).toEqual([])
})

test('the rules of a role with the label join the role, and leave it with the label', async () => {
  const { registry, clock } = world()
  await clock.advance(1)
  const rulesOf = (name: string) => list(registry.get(clusterRoles, undefined, name), 'rules')
  const before = rulesOf('admin')
  const rule = { apiGroups: ['dayfly.dev'], resources: ['runnersets'], verbs: ['get'] }
  const labels = { [`${rbac}/aggregate-to-view`]: 'true' }
  registry.create(clusterRoles, { metadata: { name: 'sets', labels }, rules: [rule] })
  await clock.advance(1)
  // The role view joins edit, and edit joins admin.
  for (const name of ['view', 'edit', 'admin']) expect(rulesOf(name)).toContainEqual(rule)
  registry.delete(clusterRoles, undefined, 'sets')
  await clock.advance(1)
  expect(rulesOf('admin')).toEqual(before)
})
