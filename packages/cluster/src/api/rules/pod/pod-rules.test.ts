// The rules for pods that differ by version. The recorded calls show the others. The messages are Kubernetes' own, read in its source.
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { describe, expect, test } from 'vitest'
import { createStore } from '../../../store/store.ts'
import type { Profile } from '../../api.ts'
import { createRegistry } from '../../create-registry.ts'
import { refusal } from '../../refusal.fixture.ts'
import type { Registry } from '../../registry.ts'

function registryOf(profile: Profile = '1.36'): Registry {
  const registry = createRegistry({ store: createStore(), clock: virtualClock(), random: seededRandom(1), profile })
  registry.create('namespaces', { metadata: { name: 'ci' } })
  return registry
}

type Json = Record<string, unknown>

function pod(spec: Json = {}, container: Json = {}): Json {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p1', namespace: 'ci' },
    spec: { containers: [{ name: 'main', image: 'busybox:1', ...container }], ...spec },
  }
}

describe('the restart policy of containers, by version', () => {
  const init = (restartPolicy: string) => pod({ initContainers: [{ name: 'dind', image: 'x', restartPolicy }] })
  const main = (restartPolicy: string) => pod({}, { restartPolicy })
  const kept = (object: Json, profile: Profile): unknown => {
    const spec = registryOf(profile).create('pods', object)['spec'] as {
      containers: { restartPolicy?: string }[]
      initContainers?: { restartPolicy?: string }[]
    }
    return (spec.initContainers ?? spec.containers)[0]?.restartPolicy
  }
  const unsupported = 'spec.initContainers[0].restartPolicy: Unsupported value: "OnFailure": supported values: "Always"'
  const forbidden = 'spec.containers[0].restartPolicy: Forbidden: may not be set for non-init containers'

  test.each(['1.29', '1.33'] as const)('%s refuses other policies', (profile) => {
    expect(kept(init('Always'), profile)).toBe('Always')
    const create = (object: Json) => refusal(() => registryOf(profile).create('pods', object)).message
    expect(create(init('OnFailure'))).toBe(`Pod "p1" is invalid: ${unsupported}`)
    expect(create(main('Never'))).toBe(`Pod "p1" is invalid: ${forbidden}`)
  })

  test('1.28 drops every policy of an init container without a warning', () => {
    for (const policy of ['Always', 'OnFailure', 'Never']) expect(kept(init(policy), '1.28')).toBeUndefined()
    expect(() => kept(main('Never'), '1.28')).toThrow(forbidden)
  })

  test('1.34 drops other policies without a warning', () => {
    expect(kept(init('Always'), '1.34')).toBe('Always')
    expect(kept(init('OnFailure'), '1.34')).toBeUndefined()
    expect(kept(main('Never'), '1.34')).toBeUndefined()
  })

  test.each(['1.35', '1.36'] as const)('%s accepts other policies', (profile) => {
    expect(kept(init('OnFailure'), profile)).toBe('OnFailure')
    expect(kept(main('Never'), profile)).toBe('Never')
    const wrong = refusal(() => registryOf(profile).create('pods', init('Sometimes'))).message
    expect(wrong).toContain('supported values: "Always", "Never", "OnFailure"')
  })
})
