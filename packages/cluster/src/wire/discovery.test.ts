// The first requests of a client: discovery, versions, schemas, media types.
import { type Answer, noBody } from '@dayfly/kit/http'
import { describe, expect, test } from 'vitest'
import { allVerbs, type Kind, type Kinds } from '../api/kind.ts'
import { createKinds } from '../api/kinds/kinds.ts'
import { discoveryAnswer } from './discovery.ts'
import { compareVersions } from './group-versions.ts'
import { negotiate } from './negotiation.ts'
import { openApiAnswer } from './openapi/openapi.ts'

const widget: Kind = {
  resource: 'widgets.example.dev',
  group: 'example.dev',
  versions: [
    { name: 'v1beta1', served: true, storage: false },
    { name: 'v1', served: true, storage: true, schema: { type: 'object', properties: { spec: { type: 'object' } } } },
    { name: 'v2', served: false, storage: false },
  ],
  kind: 'Widget',
  listKind: 'WidgetList',
  plural: 'widgets',
  singular: 'widget',
  shortNames: ['wd'],
  categories: ['all'],
  namespaced: true,
  verbs: allVerbs,
  subresources: ['status'],
  selectable: {},
  deletion: 'Background',
  unconditionalUpdate: false,
  createOnUpdate: false,
  custom: true,
}

function kinds(): Kinds {
  const all = createKinds()
  all.add(widget)
  return all
}

const request = (path: string, headers: Record<string, string> = {}) =>
  ({ method: 'GET', path, query: {}, headers, body: noBody, expect: 'whole' }) as const

// biome-ignore lint/suspicious/noExplicitAny: tests read documents without types.
function json(answer: Answer | undefined): any {
  return answer?.body.kind === 'json' ? answer.body.value : undefined
}

describe('discovery', () => {
  const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json'

  test('is one document that clients can cache until it changes', () => {
    const all = kinds()
    const first = discoveryAnswer(request('/apis', { accept: aggregated }), all)
    expect(first?.headers['content-type']).toBe('application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList')
    const { items } = json(first)
    const group = items.find((item: { metadata: { name: string } }) => item.metadata.name === 'example.dev')
    expect(group.versions.map((version: { version: string }) => version.version)).toEqual(['v1', 'v1beta1'])
    expect(group.versions[0].resources[0]).toMatchObject({
      resource: 'widgets',
      responseKind: { group: 'example.dev', version: 'v1', kind: 'Widget' },
      scope: 'Namespaced',
      shortNames: ['wd'],
      categories: ['all'],
      subresources: [{ subresource: 'status', verbs: ['get', 'patch', 'update'] }],
    })
    const etag = first?.headers['etag'] ?? ''
    const again = () => discoveryAnswer(request('/apis', { accept: aggregated, 'if-none-match': etag }), all)
    expect(again()).toMatchObject({ status: 304, body: noBody })
    all.remove('widgets.example.dev')
    expect(again()?.status).toBe(200)
  })

  test('is several documents for clients that accept plain JSON only', () => {
    const read = (path: string) => json(discoveryAnswer(request(path), kinds()))
    expect(read('/api')).toMatchObject({ kind: 'APIVersions', versions: ['v1'] })
    expect(read('/apis').groups.map(({ name }: { name: string }) => name)).toEqual([
      'admissionregistration.k8s.io',
      'apiextensions.k8s.io',
      'apps',
      'authorization.k8s.io',
      'autoscaling',
      'batch',
      'coordination.k8s.io',
      'discovery.k8s.io',
      'example.dev',
      'metrics.k8s.io',
      'networking.k8s.io',
      'node.k8s.io',
      'policy',
      'rbac.authorization.k8s.io',
      'scheduling.k8s.io',
      'storage.k8s.io',
    ])
    expect(read('/apis/example.dev')).toMatchObject({
      kind: 'APIGroup',
      preferredVersion: { groupVersion: 'example.dev/v1', version: 'v1' },
    })
    const core = read('/api/v1')
    expect(core).toMatchObject({ kind: 'APIResourceList', groupVersion: 'v1' })
    const names = core.resources.map(({ name }: { name: string }) => name)
    expect(names).toEqual(expect.arrayContaining(['pods', 'pods/log', 'pods/status', 'pods/binding', 'namespaces']))
    expect(read('/apis/example.dev/v1').resources[0]).toMatchObject({
      name: 'widgets',
      kind: 'Widget',
      namespaced: true,
    })
    expect(discoveryAnswer(request('/apis/none.dev'), kinds())).toBeUndefined()
    for (const path of ['/api/v2', '/apis/example.dev/v2', '/apis/example.dev/v1/widgets']) {
      expect(() => discoveryAnswer(request(path), kinds())).toThrow('could not find the requested resource')
    }
  })

  test('orders versions like Kubernetes', () => {
    const versions = ['v1alpha1', 'v2', 'v1beta2', 'foo', 'v10', 'v1', 'v1beta1', 'v11alpha1', 'bar']
    const ordered = ['v10', 'v2', 'v1', 'v1beta2', 'v1beta1', 'v11alpha1', 'v1alpha1', 'bar', 'foo']
    expect(versions.sort(compareVersions)).toEqual(ordered)
  })
})

describe('OpenAPI v3', () => {
  test('lists a document for each group and version, with a hash of its content', () => {
    const all = kinds()
    const index = () => json(openApiAnswer(request('/openapi/v3'), all, '1.36')).paths
    const before = index()
    expect(Object.keys(before)).toEqual(
      expect.arrayContaining(['api/v1', 'apis/example.dev/v1', 'apis/example.dev/v1beta1']),
    )
    all.add({ ...widget, versions: [{ name: 'v1', served: true, storage: true, schema: { type: 'object' } }] })
    const after = index()
    expect(after['apis/example.dev/v1']).not.toEqual(before['apis/example.dev/v1'])
    expect(after['api/v1']).toEqual(before['api/v1'])
  })

  test('shows kubectl each kind, and that the server validates fields', () => {
    const document = json(openApiAnswer(request('/openapi/v3/apis/example.dev/v1'), kinds(), '1.36'))
    const groupVersionKind = { group: 'example.dev', version: 'v1', kind: 'Widget' }
    expect(document.components.schemas['dev.example.v1.Widget']).toMatchObject({
      'x-kubernetes-group-version-kind': [groupVersionKind],
      properties: { apiVersion: { type: 'string' }, spec: { type: 'object' } },
    })
    const patch = document.paths['/apis/example.dev/v1/namespaces/{namespace}/widgets/{name}'].patch
    expect(patch).toMatchObject({ 'x-kubernetes-action': 'patch', 'x-kubernetes-group-version-kind': groupVersionKind })
    expect(patch.parameters.map(({ name }: { name: string }) => name)).toContain('fieldValidation')
  })

  test('contains all schemas that it refers to', () => {
    const text = JSON.stringify(json(openApiAnswer(request('/openapi/v3/api/v1'), kinds(), '1.36')))
    const { schemas } = JSON.parse(text).components
    const references = [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name = '']) => name)
    expect(references.length).toBeGreaterThan(100)
    expect(references.filter((name) => !(name in schemas))).toEqual([])
    expect(schemas['io.k8s.api.v1.PodSpec'].properties.containers).toMatchObject({
      type: 'array',
      'x-kubernetes-patch-merge-key': 'name',
      'x-kubernetes-patch-strategy': 'merge',
    })
  })
})

test.each([
  [undefined, 'json'],
  ['*/*', 'json'],
  ['application/json', 'json'],
  ['application/vnd.kubernetes.protobuf,application/json', 'json'],
  ['application/json;as=Table;v=v1;g=meta.k8s.io,application/json', 'table'],
  ['application/json;as=Table;v=v1beta1;g=meta.k8s.io, application/json', 'json'],
  ['application/json;q=0.5,application/json;as=Table;v=v1;g=meta.k8s.io', 'table'],
  ['application/json;stream=watch', 'json'],
  ['text/html', 406],
  ['application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io', 'metadata'],
  ['application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json', 'metadata-list'],
  ['application/json;as=constructor;v=v1;g=meta.k8s.io', 406],
])('Accept: %s', (accept, expected) => {
  if (expected === 406) expect(() => negotiate(accept)).toThrow('media types')
  else expect(negotiate(accept)).toBe(expected)
})
