// A stuck uninstall: finalizers hold ARC's custom resources, Roles, bindings, service accounts and Secrets, and no controller is left.
import { expect, test } from 'vitest'
import { openPodStage } from '../pod-stage.fixture.ts'
import type { StoredObject } from '../store/object.ts'

type Stage = ReturnType<typeof openPodStage>

const group = 'actions.github.com'
const cleanup = `${group}/cleanup-protection`
const kinds = { autoscalingrunnersets: 'AutoscalingRunnerSet', ephemeralrunnersets: 'EphemeralRunnerSet' } as const
const rbac = 'rbac.authorization.k8s.io'

const held: readonly [resource: string, apiVersion: string, kind: string, more: object][] = [
  [`roles.${rbac}`, `${rbac}/v1`, 'Role', { rules: [] }],
  [`rolebindings.${rbac}`, `${rbac}/v1`, 'RoleBinding', { roleRef: { apiGroup: rbac, kind: 'Role', name: 'set' } }],
  ['serviceaccounts', 'v1', 'ServiceAccount', {}],
  ['secrets', 'v1', 'Secret', {}],
]

function define(stage: Stage, plural: string, kind: string): void {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  stage.registry.create('customresourcedefinitions.apiextensions.k8s.io', {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [{ name: 'v1alpha1', served: true, storage: true, subresources: { status: {} }, schema }],
    },
  })
}

function runnerObject(stage: Stage, plural: keyof typeof kinds, metadata: object): StoredObject {
  return stage.registry.create(`${plural}.${group}`, {
    apiVersion: `${group}/v1alpha1`,
    kind: kinds[plural],
    metadata: { name: 'set', namespace: 'default', ...metadata },
    spec: {},
  })
}

async function installed(): Promise<Stage> {
  const stage = openPodStage()
  for (const [plural, kind] of Object.entries(kinds)) define(stage, plural, kind)
  await stage.clock.advance(100)
  for (const [resource, apiVersion, kind, more] of held) {
    const metadata = { name: 'set', namespace: 'default', finalizers: [cleanup] }
    stage.registry.create(resource, { apiVersion, kind, metadata, ...more })
  }
  const set = runnerObject(stage, 'autoscalingrunnersets', { finalizers: [`autoscalingrunnerset.${group}/finalizer`] })
  const owner = { apiVersion: set.apiVersion, kind: set.kind, name: 'set', uid: set.metadata.uid }
  runnerObject(stage, 'ephemeralrunnersets', {
    finalizers: [`ephemeralrunner.${group}/finalizer`],
    ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }],
  })
  return stage
}

const all = [...held.map(([resource]) => resource), ...Object.keys(kinds).map((plural) => `${plural}.${group}`)]

function left(stage: Stage): readonly string[] {
  return all.flatMap((resource) =>
    stage.registry
      .list(resource)
      .filter(({ metadata }) => metadata.name === 'set')
      .map(({ kind, metadata }) => `${kind}${metadata.deletionTimestamp === undefined ? '' : '!'}`),
  )
}

function unlock(stage: Stage, resource: string): void {
  const at = { namespace: 'default', name: 'set' }
  const body = [
    {
      op: 'test',
      path: '/metadata/finalizers/0',
      value: stage.registry.get(resource, 'default', 'set')?.metadata.finalizers?.[0],
    },
    { op: 'remove', path: '/metadata/finalizers/0' },
  ]
  stage.registry.patch(resource, at, { type: 'json', body })
}

const everything = ['Role', 'RoleBinding', 'ServiceAccount', 'Secret', 'AutoscalingRunnerSet', 'EphemeralRunnerSet']

test('keeps every deleted object until each finalizer is removed', async () => {
  const stage = await installed()
  expect(left(stage)).toEqual(everything)
  for (const resource of all) stage.registry.delete(resource, 'default', 'set')
  await stage.clock.advance(3_600_000)
  expect(left(stage)).toEqual(everything.map((kind) => `${kind}!`))
  for (const resource of [...all].reverse()) unlock(stage, resource)
  await stage.clock.advance(1_000)
  expect(left(stage)).toEqual([])
})

test('keeps a set that is deleted in the foreground until the runners it owns are gone', async () => {
  const stage = await installed()
  stage.registry.delete(`autoscalingrunnersets.${group}`, 'default', 'set', { propagationPolicy: 'Foreground' })
  await stage.clock.advance(60_000)
  expect(left(stage).slice(-2)).toEqual(['AutoscalingRunnerSet!', 'EphemeralRunnerSet!'])
  unlock(stage, `autoscalingrunnersets.${group}`)
  await stage.clock.advance(60_000)
  expect(left(stage).slice(-2)).toEqual(['AutoscalingRunnerSet!', 'EphemeralRunnerSet!'])
  unlock(stage, `ephemeralrunnersets.${group}`)
  await stage.clock.advance(1_000)
  expect(left(stage)).toEqual(everything.slice(0, 4))
})

test('reports in the namespace what is held, and by which finalizer', async () => {
  const stage = await installed()
  const metadata = { name: 'arc' }
  stage.registry.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata })
  const role = { apiVersion: `${rbac}/v1`, kind: 'Role', rules: [] }
  stage.registry.create(`roles.${rbac}`, {
    ...role,
    metadata: { name: 'system:held', namespace: 'arc', finalizers: [cleanup] },
  })
  stage.registry.delete('namespaces', undefined, 'arc')
  await stage.clock.advance(60_000)
  const found = JSON.stringify(stage.registry.get('namespaces', undefined, 'arc')?.['status'])
  expect(found).toContain(`${cleanup} in 1 resource instances`)
})
