// Ages, the columns of custom resources, and the columns of built-in kinds.
import { describe, expect, test } from 'vitest'
import { createKinds } from '../../api/kinds/kinds.ts'
import type { StoredObject } from '../../store/object.ts'
import { humanDuration } from './age.ts'
import { builtInPrinters } from './built-in-printers.ts'
import { customPrinter } from './custom-printer.ts'
import { parseJsonPath } from './json-path.ts'
import { tableOf } from './table.ts'

const now = Date.parse('2026-01-01T01:00:00Z')

function object(kind: string, fields: object = {}, metadata: object = {}): StoredObject {
  const own = { name: 'x', uid: 'u', resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z', ...metadata }
  return { apiVersion: 'v1', kind, metadata: own, ...fields }
}

test.each([
  [-3_000, '<invalid>'],
  [-1_500, '0s'],
  [0, '0s'],
  [119_000, '119s'],
  [120_000, '2m'],
  [125_000, '2m5s'],
  [600_000, '10m'],
  [10_740_000, '179m'],
  [10_800_000, '3h'],
  [11_100_000, '3h5m'],
  [28_800_000, '8h'],
  [172_800_000, '2d'],
  [180_000_000, '2d2h'],
  [700_000_000, '8d'],
  [63_072_000_000, '2y'],
  [63_158_400_000, '2y1d'],
  [300_000_000_000, '9y'],
])('%d ms is shown as %s', (ms, shown) => {
  expect(humanDuration(ms)).toBe(shown)
})

describe('paths of printer columns', () => {
  const document = {
    spec: {
      replicas: 3,
      'odd.name': 'a',
      ports: [
        { name: 'http', port: 80 },
        { name: 'dns', port: 53 },
      ],
    },
    status: {
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'Degraded', status: 'False' },
      ],
    },
  }
  test.each([
    ['.spec.replicas', [3]],
    ['spec.replicas', [3]],
    ["['spec'].replicas", [3]],
    ['.spec.odd\\.name', ['a']],
    ["['spec']['odd.name']", ['a']],
    ['.spec.ports[0].port', [80]],
    ['.spec.ports[-1].port', [53]],
    ['.spec.ports[*].port', [80, 53]],
    ['.spec.ports[7].port', []],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    [".status.conditions[?(@.type=='Degraded')].status", ['False']],
    ['.status.conditions[?(@.type!="Ready")].type', ['Degraded']],
    ['.spec.ports[?(@.port==53)].name', ['dns']],
    ['.spec.ports[?(@.port)].name', ['http', 'dns']],
    ['.spec.missing.deeper', []],
  ])('%s', (path, found) => {
    expect(parseJsonPath(path)?.(document)).toEqual(found)
  })

  test('unsupported and invalid paths give undefined', () => {
    expect(parseJsonPath('.spec[0:2]')).toBeUndefined()
    expect(parseJsonPath('.spec..replicas')).toBeUndefined()
  })
})

describe('a custom resource', () => {
  const set = object('RunnerSet', {
    spec: { scale: { max: 5 }, labels: ['a', 'b'] },
    status: { idle: '2', since: '2026-01-01T00:59:00Z', ready: true },
  })
  const column = (type: string, jsonPath: string) => ({ name: type, type, jsonPath })

  test('shows the columns of its definition', () => {
    const printer = customPrinter([
      column('integer', '.spec.scale.max'),
      column('string', '.spec.labels'),
      column('date', '.status.since'),
      column('boolean', '.status.ready'),
      column('number', '.spec.scale.max'),
    ])
    expect(printer.columns.map(({ name }) => name)).toEqual(['Name', 'integer', 'string', 'date', 'boolean', 'number'])
    expect(printer.cells(set, now)).toEqual(['x', 5, '["a","b"]', '60s', true, 5])
  })

  test('shows an empty cell if the value is missing or has another type', () => {
    const printer = customPrinter([column('integer', '.status.idle'), column('string', '.spec.nothing')])
    expect(printer.cells(set, now)).toEqual(['x', null, null])
  })

  test('shows name and age without columns', () => {
    expect(customPrinter([]).cells(set, now)).toEqual(['x', '60m'])
  })
})

describe('built-in columns', () => {
  const cells = (resource: string, shown: StoredObject) => builtInPrinters.get(resource)?.cells(shown, now)

  test('every printer returns as many cells as it has columns, even for an empty object', () => {
    for (const { resource, kind } of createKinds().all()) {
      const printer = builtInPrinters.get(resource)
      if (printer)
        expect([resource, printer.cells(object(kind), now).length]).toEqual([resource, printer.columns.length])
    }
  })

  test('show the status, roles and versions of a node', () => {
    const status = {
      conditions: [{ type: 'Ready', status: 'False' }],
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      nodeInfo: { kubeletVersion: 'v1.36.0', architecture: 'amd64', kernelVersion: '6.1' },
    }
    const node = object(
      'Node',
      { spec: { unschedulable: true }, status },
      { labels: { 'node-role.kubernetes.io/ci': '' } },
    )
    expect(cells('nodes', node)).toEqual([
      'x',
      'NotReady,SchedulingDisabled',
      'ci',
      '60m',
      'v1.36.0',
      '127.0.0.1',
      '<none>',
      '<unknown>',
      '6.1 (amd64)',
      '<unknown>',
    ])
    expect(cells('nodes', object('Node'))?.slice(1, 3)).toEqual(['Unknown', '<none>'])
  })

  test('show the ages, source and object of an Event', () => {
    const event = object('Event', {
      involvedObject: { kind: 'Pod', name: 'a', fieldPath: 'spec.containers{main}' },
      type: 'Warning',
      reason: 'Failed',
      message: ' Error: no \n',
      source: { component: 'kubelet', host: 'here' },
      firstTimestamp: '2026-01-01T00:59:00Z',
      lastTimestamp: '2026-01-01T00:59:50Z',
      count: 3,
    })
    const field = 'spec.containers{main}'
    expect(cells('events', event)).toEqual([
      '10s',
      'Warning',
      'Failed',
      'pod/a',
      field,
      'kubelet, here',
      'Error: no',
      '60s',
      3,
      'x',
    ])
  })

  test('count the entries of Secrets and ConfigMaps', () => {
    expect(cells('secrets', object('Secret', { type: 'Opaque', data: { a: '', b: '' } }))).toEqual([
      'x',
      'Opaque',
      2,
      '60m',
    ])
    expect(cells('configmaps', object('ConfigMap', { data: { a: '' }, binaryData: { b: '' } }))?.[1]).toBe(2)
  })
})

describe('a table', () => {
  const printer = customPrinter([])
  const done = object('Pod', { status: { phase: 'Succeeded' } })

  test('contains metadata, the object, or nothing in each row', () => {
    const row = (includeObject: 'None' | 'Metadata' | 'Object') =>
      tableOf([object('Secret', { data: {} })], {}, { printer, includeObject, now, withColumns: true }).rows[0]?.object
    expect(row('None')).toBeNull()
    expect(row('Metadata')).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'x' } })
    expect(row('Metadata')).not.toHaveProperty('data')
    expect(row('Object')).toMatchObject({ kind: 'Secret', data: {} })
  })

  test('marks finished pods, and has column definitions only if requested', () => {
    const table = tableOf([done], {}, { printer, includeObject: 'None', now, withColumns: false })
    expect(table.columnDefinitions).toBeNull()
    expect(table.rows[0]?.conditions).toMatchObject([{ type: 'Completed', reason: 'Succeeded' }])
  })
})
