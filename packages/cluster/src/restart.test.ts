// A cluster that starts again on the objects of one that was killed.
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { expect, test } from 'vitest'
import { createCluster } from './cluster.ts'
import { createScriptedRuntime } from './runtime/scripted/scripted-runtime.ts'
import { encodeChange, encodeSnapshot, recover } from './store/journal-format.ts'

const clock = virtualClock()

/** Starts a cluster on the bytes of a journal. It appends its own changes to them. */
function start(parts: Buffer[]) {
  const recovery = recover(Buffer.concat(parts))
  if (recovery.is !== 'recovered') throw new Error(recovery.is)
  const runtime = createScriptedRuntime({ clock, script: () => ({ endsAfterMs: 60_000 }), remembers: true })
  const data = {
    restored: recovery.snapshot,
    append: (change: Parameters<typeof encodeChange>[0]) => void parts.push(encodeChange(change)),
    compact: () => {},
    close: async () => {},
  }
  return { runtime, cluster: createCluster({ clock, random: seededRandom(parts.length), runtime, data }) }
}

const container = { name: 'main', image: 'x' }
const names = { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' }
const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
const definition = {
  metadata: { name: 'widgets.fuzz.dev' },
  spec: {
    group: 'fuzz.dev',
    names,
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema }],
  },
}

test('custom kinds, quotas and controllers go on, and no container of a finished pod starts twice', async () => {
  const parts = [...encodeSnapshot({ revision: 0, objects: [] })]
  const { cluster: first } = start(parts)
  const pod = (name: string, restartPolicy: string) =>
    first.registry.create('pods', {
      metadata: { name, namespace: 'default' },
      spec: { restartPolicy, containers: [container] },
    })
  pod('once', 'Never')
  pod('always', 'Always')
  const widget = { apiVersion: 'fuzz.dev/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'default' } }
  first.registry.create('customresourcedefinitions.apiextensions.k8s.io', definition)
  first.registry.create('widgets.fuzz.dev', widget)
  first.registry.create('resourcequotas', {
    metadata: { name: 'q', namespace: 'default' },
    spec: { hard: { pods: '1' } },
  })
  const template = { metadata: { labels: { d: 'd' } }, spec: { containers: [container] } }
  first.registry.create('deployments.apps', {
    metadata: { name: 'd', namespace: 'kube-public' },
    spec: { replicas: 1, selector: { matchLabels: { d: 'd' } }, template },
  })
  await clock.advance(5_000)
  const revision = first.registry.revision()
  // The process is killed: nothing of it goes on, and the bytes stay as they are.
  const killed = [...parts]
  const { runtime, cluster } = start(killed)
  const { registry } = cluster
  expect(registry.revision()).toBeGreaterThanOrEqual(revision)
  await clock.advance(5_000)
  expect(registry.get('widgets.fuzz.dev', 'default', 'w')?.kind).toBe('Widget')
  expect(() =>
    registry.create('pods', { metadata: { name: 'more', namespace: 'default' }, spec: { containers: [container] } }),
  ).toThrow('exceeded quota')
  expect(registry.get('pods', 'default', 'once')).toMatchObject({
    status: { phase: 'Failed', containerStatuses: [{ state: { terminated: { reason: 'ContainerStatusUnknown' } } }] },
  })
  expect(registry.get('pods', 'default', 'always')).toMatchObject({
    status: { phase: 'Running', containerStatuses: [{ restartCount: 1, state: { running: {} } }] },
  })
  const once = registry.get('pods', 'default', 'once')?.metadata.uid ?? ''
  expect(runtime.actions.filter(({ container: id }) => id.startsWith(once))).toEqual([])
  const sets = registry.list('replicasets.apps')
  registry.delete('deployments.apps', 'kube-public', 'd', { propagationPolicy: 'Background' })
  await clock.advance(60_000)
  expect([sets.length, registry.list('replicasets.apps').length, registry.list('pods', 'kube-public').length]).toEqual([
    1, 0, 0,
  ])
  await Promise.all([cluster.stop(), first.stop()])
})
