// For any input, the registry stores the object or refuses it with a Status. It accepts what it has stored, and stores
// it unchanged.
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { StoredObject } from '../store/object.ts'
import { createStore } from '../store/store.ts'
import { createRegistry } from './create-registry.ts'
import { ApiError } from './errors.ts'
import type { Patch, Registry } from './registry.ts'

type Path = readonly (string | number)[]
type Change = { readonly at: number; readonly value: unknown }

const metadata = { name: 'x', namespace: 'ci', labels: { a: 'b' }, finalizers: ['a.dev/b'] }
const probe = { httpGet: { port: 80 } }
const samples: Readonly<Record<string, Record<string, unknown>>> = {
  pods: {
    metadata,
    spec: {
      initContainers: [{ name: 'docker', image: 'dind', restartPolicy: 'Always', startupProbe: probe }],
      containers: [
        {
          ...{ name: 'main', image: 'x:1', command: ['a'], ports: [{ containerPort: 1 }] },
          env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
          envFrom: [{ secretRef: { name: 's' } }],
          resources: { limits: { cpu: '1' }, requests: { cpu: '500m' } },
          volumeMounts: [{ name: 'v', mountPath: '/v' }],
          lifecycle: { preStop: { exec: { command: ['a'] } } },
        },
      ],
      volumes: [{ name: 'v', secret: { secretName: 's', items: [{ key: 'a', path: 'b' }] } }],
      tolerations: [{ key: 'a', operator: 'Exists' }],
    },
  },
  secrets: { metadata, stringData: { a: 'b' }, data: { c: 'eA==' }, type: 'Opaque', immutable: true },
  configmaps: { metadata, data: { a: 'b' }, binaryData: { c: 'eA==' } },
  events: { metadata, involvedObject: { kind: 'Pod', namespace: 'ci' }, series: { count: 1 } },
  'events.events.k8s.io': {
    ...{ metadata, regarding: { kind: 'Pod', namespace: 'ci' }, eventTime: '2026-01-01T00:00:00.000000Z' },
    ...{ reason: 'a', action: 'b', type: 'Normal', reportingController: 'a.dev/b', reportingInstance: 'c' },
    series: { count: 2, lastObservedTime: '2026-01-01T00:00:00.000000Z' },
  },
  resourcequotas: {
    metadata,
    spec: {
      hard: { pods: '1', 'requests.cpu': '1500m', 'count/jobs.batch': '2' },
      scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['a'] }] },
    },
  },
  limitranges: {
    metadata,
    spec: {
      limits: [
        {
          type: 'Container',
          min: { cpu: '1m' },
          max: { cpu: '2' },
          default: { cpu: '1' },
          defaultRequest: { cpu: '1' },
        },
        { type: 'Pod', max: { memory: '1Gi' }, maxLimitRequestRatio: { cpu: '2' } },
      ],
    },
  },
  'priorityclasses.scheduling.k8s.io': { metadata: { name: 'x' }, value: 5, globalDefault: true },
  'runtimeclasses.node.k8s.io': {
    ...{ metadata: { name: 'x' }, handler: 'runc', overhead: { podFixed: { cpu: '1' } } },
    scheduling: { nodeSelector: { a: 'b' }, tolerations: [{ key: 'a', operator: 'Exists' }] },
  },
  'horizontalpodautoscalers.autoscaling': {
    metadata,
    spec: {
      ...{ scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' }, maxReplicas: 3 },
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Value', value: '1' } } }],
    },
  },
  'leases.coordination.k8s.io': { metadata, spec: { holderIdentity: 'a', renewTime: '2026-01-01T00:00:00.000000Z' } },
  nodes: {
    metadata: { name: 'x' },
    status: { capacity: { cpu: '1' }, conditions: [{ type: 'Ready', status: 'True' }] },
  },
  'customresourcedefinitions.apiextensions.k8s.io': {
    metadata: { name: 'xs.a.dev' },
    spec: {
      ...{ group: 'a.dev', scope: 'Namespaced', names: { plural: 'xs', kind: 'X' } },
      versions: [
        {
          ...{ name: 'v1', served: true, storage: true, subresources: { status: {} } },
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', default: { a: 1 } } } } },
          additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.spec.a' }],
        },
      ],
    },
  },
}

function world(): Registry {
  const registry = createRegistry({ store: createStore(), clock: virtualClock(), random: seededRandom(1) })
  registry.create('namespaces', { metadata: { name: 'ci' } })
  return registry
}

function paths(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const inner = Object.entries(value).flatMap(([key, item]) =>
    paths(item, [...path, Array.isArray(value) ? Number(key) : key]),
  )
  return path.length === 0 ? inner : [path, ...inner]
}

/** Returns the sample with some of its parts replaced by arbitrary values. */
function changed(sample: object, changes: readonly Change[]): Record<string, unknown> {
  const copy = structuredClone(sample) as Record<string, unknown>
  for (const { at, value } of changes) {
    const all = paths(copy)
    const path = all[at % all.length] ?? []
    let parent: unknown = copy
    for (const step of path.slice(0, -1)) parent = (parent as Record<string | number, unknown>)[step]
    const last = path.at(-1)
    if (last !== undefined) (parent as Record<string | number, unknown>)[last] = structuredClone(value)
  }
  return copy
}

/** Returns the result of the call, or undefined if it was refused with an ApiError. */
function storedOrRefused(run: () => StoredObject): StoredObject | undefined {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    expect(error.status.code).toBeGreaterThanOrEqual(400)
    expect(error.status.message).not.toBe('')
    return undefined
  }
}

const word = fc.constantFrom(
  '',
  'a',
  'A b',
  '-',
  'constructor',
  '__proto__',
  '$patch',
  '1Gi',
  '2026-01-01T00:00:00Z',
  '.',
  '/',
)
const anything = fc.oneof(
  { weight: 3, arbitrary: word },
  fc.constantFrom(null, true, 0, -1, 1.5, 1e20, [], {}, [null], [[]], { a: null }),
  fc.jsonValue({ maxDepth: 3 }),
)
const changes = fc.array(fc.record({ at: fc.nat(), value: anything }), { minLength: 1, maxLength: 3 })

describe.each(Object.entries(samples))('%s', (resource, sample) => {
  test('the samples are stored', () => {
    expect(world().create(resource, sample).metadata.uid).not.toBe('')
  })

  test('objects with arbitrary values are stored or refused, and a stored object can be written back unchanged', () => {
    fc.assert(
      fc.property(changes, (edits) => {
        const registry = world()
        const stored = storedOrRefused(() => registry.create(resource, changed(sample, edits)))
        if (stored === undefined) return
        // The API server may have changed it since: a definition becomes established.
        const now = registry.get(resource, stored.metadata.namespace, stored.metadata.name) ?? stored
        expect(registry.update(resource, JSON.parse(JSON.stringify(now)))).toBe(now)
      }),
      { numRuns: 300 },
    )
  })

  test('arbitrary updates and patches are stored or refused', () => {
    const type = fc.constantFrom<Patch['type']>('json', 'merge', 'strategic')
    const operation = fc.record({
      op: word,
      path: fc.constantFrom('', '/', '/metadata/labels/a', '/spec'),
      value: anything,
    })
    fc.assert(
      fc.property(changes, type, fc.oneof(anything, fc.array(operation)), (edits, kind, body) => {
        const registry = world()
        const stored = registry.create(resource, sample)
        const { namespace, name } = stored.metadata
        for (const subresource of [undefined, 'status'] as const) {
          storedOrRefused(() => registry.update(resource, changed(stored, edits), { subresource }))
          storedOrRefused(() => registry.patch(resource, { namespace, name }, { type: kind, body }, { subresource }))
        }
      }),
      { numRuns: 200 },
    )
  })
})

describe('an object of a custom kind', () => {
  test('is stored or refused for arbitrary objects and schemas', () => {
    const definitions = 'customresourcedefinitions.apiextensions.k8s.io'
    fc.assert(
      fc.property(changes, anything, anything, (edits, spec, status) => {
        const registry = world()
        const made = storedOrRefused(() => registry.create(definitions, changed(samples[definitions] ?? {}, edits)))
        if (made === undefined || registry.kinds.get('xs.a.dev') === undefined) return
        const object = { metadata: { name: 'x', namespace: 'ci' }, spec, status }
        const stored = storedOrRefused(() => registry.create('xs.a.dev', object))
        if (stored) storedOrRefused(() => registry.update('xs.a.dev', { ...stored, status }, { subresource: 'status' }))
      }),
      { numRuns: 300 },
    )
  })
})
