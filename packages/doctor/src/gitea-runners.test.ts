import { expect, test } from 'vitest'
import type { ObjectFact, RegistrationFact } from './facts.ts'
import { leftRunners } from './gitea-runners.ts'
import { viewPods } from './pods/pod-views.ts'

const image = 'docker.io/gitea/act_runner:0.2.13'

function registrations(...ids: readonly [name: string, id: string][]): readonly RegistrationFact[] {
  return ids.map(([name, id]) => ({ id, name, status: 'offline', busy: false, set: undefined, createdAt: undefined }))
}

function fact(kind: string, name: string, spec: object = {}): ObjectFact {
  const raw = { apiVersion: 'apps/v1', kind, metadata: { name, namespace: 'ci' }, spec }
  return { object: { apiVersion: 'apps/v1', kind, namespace: 'ci', name }, document: undefined, raw }
}

function stateful(more: object = {}, pod: object = {}): ObjectFact {
  const containers = [{ name: 'act-runner', image, volumeMounts: [{ name: 'data', mountPath: '/data' }] }]
  return fact('StatefulSet', 'act-runner', { replicas: 1, ...more, template: { spec: { containers, ...pod } } })
}

function left(listed: readonly RegistrationFact[], objects: readonly ObjectFact[]) {
  return leftRunners(listed, { objects, pods: viewPods(objects) }).map(({ registration: { id }, because, claim }) => ({
    id,
    because,
    claim,
  }))
}

const emptyData = { volumes: [{ name: 'data', emptyDir: {} }] }
const pod = fact('Pod', 'act-runner-0')
const twins = registrations(['act-runner-0', '3'], ['act-runner-0', '12'], ['act-runner-0', '7'])

test('a pod that keeps nothing registers at each start, so only its newest registration is in use', () => {
  const because = 'its pod has registered again since'
  expect(left(twins, [stateful({}, emptyData), pod])).toEqual([
    { id: '3', because, claim: undefined },
    { id: '7', because, claim: undefined },
  ])
  expect(left(twins, [stateful(), pod])).toEqual([])
})

test('the claim of a pod that the StatefulSet no longer wants keeps its registration, unless the scale-down removes claims', () => {
  const scaled = registrations(['act-runner-1', '4'])
  const because = 'the StatefulSet has 1 replica'
  expect(left(scaled, [stateful()])).toEqual([{ id: '4', because, claim: 'data-act-runner-1' }])
  const persistentVolumeClaimRetentionPolicy = { whenScaled: 'Delete' }
  for (const one of [stateful({}, emptyData), stateful({ persistentVolumeClaimRetentionPolicy })])
    expect(left(scaled, [one])).toEqual([{ id: '4', because, claim: undefined }])
  expect(left(scaled, [stateful({ replicas: 2 })])).toEqual([])
})
