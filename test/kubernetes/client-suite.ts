// What our client expects of a Kubernetes API server, as tests that run on any cluster: a real one, and the embedded one.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKubernetes } from '../../src/kubernetes/client.ts'
import { KubernetesError, type KubernetesErrorKind } from '../../src/kubernetes/errors.ts'
import type { Kubernetes } from '../../src/kubernetes/kubernetes.ts'
import { createElector, type Leadership } from '../../src/kubernetes/lease.ts'
import { leases } from '../../src/kubernetes/lease-record.ts'
import { runReflector } from '../../src/kubernetes/reflector.ts'
import type { KubeObject, Resource } from '../../src/kubernetes/types.ts'
import type { Transport } from '../../src/lib/http.ts'
import { randomName } from '../../src/lib/ids.ts'
import { aborted } from '../../src/lib/signals.ts'
import { systemClock, systemRandom } from '../../src/lib/system.ts'

export type Cluster = { readonly transport: Transport; close(): Promise<void> }
export type SuiteOptions = {
  /** What this cluster does not have, by the name of the test's part; each is skipped by name. */
  readonly without?: readonly 'quota'[]
}

const core = (plural: string, kind: string, namespaced = true): Resource => ({
  group: '',
  version: 'v1',
  plural,
  kind,
  namespaced,
})
const namespaces = core('namespaces', 'Namespace', false)
const configMaps = core('configmaps', 'ConfigMap')
const secrets = core('secrets', 'Secret')
const pods = core('pods', 'Pod')
const quotas = core('resourcequotas', 'ResourceQuota')
const crds: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
}

const clock = systemClock()
const random = systemRandom()

/** Declares the suite's tests. `open` is called once; everything lives in a namespace of its own that is deleted at the end. */
export function clientSuite(title: string, open: () => Promise<Cluster>, { without = [] }: SuiteOptions = {}): void {
  describe(title, { timeout: 30_000 }, () => {
    const run = randomName(random, 6)
    const namespace = `dayfly-client-${run}`
    let cluster: Cluster
    let kubernetes: Kubernetes

    beforeAll(async () => {
      cluster = await open()
      kubernetes = createKubernetes({ transport: cluster.transport, clock, random })
      await kubernetes.create(namespaces, object('v1', 'Namespace', { name: namespace }))
    })
    afterAll(async () => {
      await kubernetes?.delete(namespaces, { name: namespace })
      await cluster?.close()
    })

    const named = (name: string) => ({ namespace, name })
    const configMap = (name: string, data: Record<string, string> = {}, more: object = {}) =>
      object('v1', 'ConfigMap', { ...named(name), ...more }, { data })
    const mirror = (resource: Resource, labelSelector?: string, transport = cluster.transport) => {
      const objects = new Map<string, KubeObject>()
      const seen = { replaced: 0, progressed: 0, stale: [] as string[] }
      const until = new AbortController()
      const done = runReflector(
        {
          transport,
          resource,
          namespace,
          labelSelector,
          project: (item) => item,
          clock,
          random,
          sink: {
            replaced: (items) => {
              objects.clear()
              for (const item of items) objects.set(item.metadata.name, item)
              seen.replaced++
            },
            changed: (item) => void objects.set(item.metadata.name, item),
            removed: (item) => void objects.delete(item.metadata.name),
            progressed: () => void seen.progressed++,
            stale: (_, why) => void seen.stale.push(why),
          },
        },
        until.signal,
      )
      const stop = async () => {
        until.abort(new Error('over'))
        await done
      }
      return { objects, seen, stop, version: (name: string) => objects.get(name)?.metadata.resourceVersion }
    }

    describe('verbs', () => {
      it('create stores and answers the object with its metadata; get finds it; a second create is refused', async () => {
        const { object: made, warnings } = await kubernetes.create(configMaps, configMap('made', { a: '1' }))
        expect(made).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { a: '1' } })
        expect(made.metadata).toMatchObject({
          uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
          resourceVersion: expect.stringMatching(/^\d+$/),
          creationTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        })
        expect(warnings).toEqual([])
        expect(await kubernetes.get(configMaps, named('made'))).toEqual(made)
        const error = await refusal(kubernetes.create(configMaps, configMap('made')), 'already-exists')
        expect(error).toMatchObject({ status: 409, about: 'made', perhapsDone: false })
        expect(error.message).toBe('configmaps "made" already exists')
      })

      it('get, replace and patch of what is not there are not-found; delete says absent', async () => {
        const error = await refusal(kubernetes.get(configMaps, named('nobody')), 'not-found')
        expect(error).toMatchObject({ status: 404, about: 'nobody', message: 'configmaps "nobody" not found' })
        await refusal(kubernetes.patch(configMaps, named('nobody'), { type: 'merge', body: {} }), 'not-found')
        expect(await kubernetes.delete(configMaps, named('nobody'))).toBe('absent')
        expect(await kubernetes.delete(configMaps, named('nobody'), { preconditions: { uid: 'x' } })).toBe('absent')
      })

      it('a kind that the server does not know is not-found, never absent', async () => {
        const unknown: Resource = { ...pods, group: 'nowhere.example', plural: 'things', kind: 'Thing' }
        await refusal(kubernetes.get(unknown, named('x')), 'not-found')
        await refusal(kubernetes.list(unknown), 'not-found')
        await refusal(kubernetes.delete(unknown, named('x')), 'not-found')
      })

      it('replace conflicts on an older resourceVersion and then changes nothing', async () => {
        const { object: first } = await kubernetes.create(configMaps, configMap('replaced', { a: '1' }))
        const { object: second } = await kubernetes.replace(configMaps, { ...first, data: { a: '2' } })
        expect(second.metadata.resourceVersion).not.toBe(first.metadata.resourceVersion)
        const error = await refusal(kubernetes.replace(configMaps, { ...first, data: { a: '3' } }), 'conflict')
        expect(error.message).toContain('the object has been modified')
        expect((await kubernetes.get(configMaps, named('replaced')))['data']).toEqual({ a: '2' })
      })

      it('merge patches set, remove and keep; JSON patches test and change', async () => {
        await kubernetes.create(configMaps, configMap('patched', { a: '1', b: '2' }))
        const at = named('patched')
        const merged = await kubernetes.patch(configMaps, at, { type: 'merge', body: { data: { a: null, c: '3' } } })
        expect(merged.object['data']).toEqual({ b: '2', c: '3' })
        const operations = [
          { op: 'test', path: '/data/b', value: '2' },
          { op: 'replace', path: '/data/b', value: '4' },
        ]
        const changed = await kubernetes.patch(configMaps, at, { type: 'json', operations })
        expect(changed.object['data']).toEqual({ b: '4', c: '3' })
        const error = await refusal(kubernetes.patch(configMaps, at, { type: 'json', operations }), 'invalid')
        expect(error.status).toBe(422)
        const stale = { metadata: { resourceVersion: merged.object.metadata.resourceVersion }, data: { d: '5' } }
        await refusal(kubernetes.patch(configMaps, at, { type: 'merge', body: stale }), 'conflict')
      })

      it('a patch that changes nothing keeps the resourceVersion', async () => {
        const { object: made } = await kubernetes.create(configMaps, configMap('same', { a: '1' }))
        const { object: same } = await kubernetes.patch(configMaps, named('same'), {
          type: 'merge',
          body: { data: { a: '1' } },
        })
        expect(same.metadata.resourceVersion).toBe(made.metadata.resourceVersion)
      })

      it('a dry run of create, replace, patch and delete answers and changes nothing', async () => {
        const dryRun = true
        const { object: tried } = await kubernetes.create(configMaps, configMap('dry', { a: '1' }), { dryRun })
        expect(tried.metadata.uid).toBeDefined()
        await refusal(kubernetes.get(configMaps, named('dry')), 'not-found')
        const { object: made } = await kubernetes.create(configMaps, configMap('dry', { a: '1' }))
        await kubernetes.replace(configMaps, { ...made, data: { a: '2' } }, { dryRun })
        await kubernetes.patch(configMaps, named('dry'), { type: 'merge', body: { data: { a: '3' } } }, { dryRun })
        expect(await kubernetes.delete(configMaps, named('dry'), { dryRun })).toBe('deleted')
        expect(await kubernetes.get(configMaps, named('dry'))).toEqual(made)
      })

      it('an immutable Secret refuses a change with its field', async () => {
        const secret = object('v1', 'Secret', named('sealed'), { immutable: true, stringData: { key: 'value' } })
        const { object: made } = await kubernetes.create(secrets, secret)
        expect(made['data']).toEqual({ key: 'dmFsdWU=' })
        expect(made['type']).toBe('Opaque')
        const patch = { type: 'merge', body: { data: { key: 'eA==' } } } as const
        const error = await refusal(kubernetes.patch(secrets, named('sealed'), patch), 'invalid')
        expect(error.causes).toEqual([
          { reason: 'FieldValueForbidden', field: 'data', message: expect.stringContaining('immutable') },
        ])
      })

      it('many writes at once all arrive', async () => {
        const names = Array.from({ length: 60 }, (_, index) => `burst-${index}`)
        await Promise.all(names.map((name) => kubernetes.create(configMaps, configMap(name, {}, burst))))
        const { items } = await kubernetes.list(configMaps, { namespace, labelSelector: 'burst=yes' })
        expect(items.map(({ metadata }) => metadata.name).sort()).toEqual(names.sort())
        await Promise.all(names.map((name) => kubernetes.delete(configMaps, named(name))))
      })
      const burst = { labels: { burst: 'yes' } }

      it('an aborted call ends by the signal', async () => {
        const reason = new Error('enough')
        const call = kubernetes.get(configMaps, named('made'), { signal: AbortSignal.abort(reason) })
        await expect(call).rejects.toBe(reason)
      })
    })

    describe('list', () => {
      beforeAll(async () => {
        for (let index = 0; index < 5; index++) {
          const labels = { list: 'yes', half: index % 2 === 0 ? 'even' : 'odd' }
          await kubernetes.create(configMaps, configMap(`listed-${index}`, {}, { labels }))
        }
      })

      it('gives all pages of one snapshot, each object with its type', async () => {
        const list = await kubernetes.list(configMaps, { namespace, labelSelector: 'list=yes', pageSize: 2 })
        expect(list.items.map(({ metadata }) => metadata.name)).toEqual([0, 1, 2, 3, 4].map((n) => `listed-${n}`))
        expect(list.items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' })
        expect(list.resourceVersion).toMatch(/^\d+$/)
      })

      it('selects by labels and fields', async () => {
        const names = async (selector: object) =>
          (await kubernetes.list(configMaps, { namespace, ...selector })).items.map(({ metadata }) => metadata.name)
        expect(await names({ labelSelector: 'list=yes,half!=odd' })).toEqual(['listed-0', 'listed-2', 'listed-4'])
        expect(await names({ labelSelector: 'half in (odd)' })).toEqual(['listed-1', 'listed-3'])
        expect(await names({ labelSelector: 'list,!half' })).toEqual([])
        expect(await names({ fieldSelector: 'metadata.name=listed-3' })).toEqual(['listed-3'])
      })

      it('refuses selectors that it does not understand', async () => {
        await refusal(kubernetes.list(configMaps, { namespace, labelSelector: 'a=b=c' }), 'bad-request')
        await refusal(kubernetes.list(configMaps, { namespace, fieldSelector: 'data.a=1' }), 'bad-request')
      })

      it('is empty, not absent, for a namespace that is not there', async () => {
        expect((await kubernetes.list(configMaps, { namespace: 'dayfly-nowhere' })).items).toEqual([])
      })
    })

    describe('pods', () => {
      const waiting = (name: string, more: object = {}) =>
        object('v1', 'Pod', named(name), {
          spec: {
            nodeSelector: { 'dayfly.dev/nowhere': 'true' },
            automountServiceAccountToken: false,
            containers: [{ name: 'runner', image: 'localhost/none:1' }],
            ...more,
          },
        })
      beforeAll(async () => {
        // Real clusters make the default ServiceAccount a moment after the namespace; pods are refused until then.
        await eventually('a pod is accepted', async () => {
          await kubernetes.create(pods, waiting('probe'), { dryRun: true })
          return true
        })
      })

      it('a pod waits unscheduled, and goes at once when deleted, whatever the grace', async () => {
        const { object: made } = await kubernetes.create(pods, waiting('waits'))
        expect(made['status']).toMatchObject({ phase: 'Pending' })
        expect(made['spec']).toMatchObject({ restartPolicy: 'Always', terminationGracePeriodSeconds: 30 })
        await eventually('the scheduler gives its reason', async () => {
          const { status } = (await kubernetes.get(pods, named('waits'))) as { status?: { conditions?: Condition[] } }
          return status?.conditions?.some(({ type, reason }) => type === 'PodScheduled' && reason === 'Unschedulable')
        })
        const uid = made.metadata.uid ?? ''
        const answer = await kubernetes.delete(pods, named('waits'), {
          preconditions: { uid },
          gracePeriodSeconds: 30,
        })
        expect(answer).toBe('deleted')
        await refusal(kubernetes.get(pods, named('waits')), 'not-found')
      })

      it('delete refuses another uid or resourceVersion, and keeps the pod', async () => {
        await kubernetes.create(pods, waiting('guarded'))
        const uid = '00000000-0000-0000-0000-000000000000'
        const other = await refusal(kubernetes.delete(pods, named('guarded'), { preconditions: { uid } }), 'conflict')
        expect(other.message).toContain('the UID in the precondition')
        const resourceVersion = '1'
        const old = await refusal(
          kubernetes.delete(pods, named('guarded'), { preconditions: { resourceVersion } }),
          'conflict',
        )
        expect(old.message).toContain('the ResourceVersion in the precondition')
        expect(await kubernetes.delete(pods, named('guarded'), { dryRun: true, gracePeriodSeconds: 0 })).toBe('deleted')
        await kubernetes.get(pods, named('guarded'))
        expect(await kubernetes.delete(pods, named('guarded'))).toBe('deleted')
      })

      it('an invalid pod is refused with each cause', async () => {
        const containers = [{ name: 'runner', image: 'x', volumeMounts: [{ name: 'missing', mountPath: '/m' }] }]
        const error = await refusal(kubernetes.create(pods, waiting('invalid', { containers })), 'invalid')
        expect(error.causes).toEqual([
          {
            reason: 'FieldValueNotFound',
            field: 'spec.containers[0].volumeMounts[0].name',
            message: 'Not found: "missing"',
          },
        ])
        expect(error.about).toBe('invalid')
      })

      it('unknown fields are refused when strict, and warned of when not', async () => {
        const typo = waiting('typo', { restartPolice: 'Never' })
        const error = await refusal(kubernetes.create(pods, typo, { fieldValidation: 'Strict' }), 'bad-request')
        expect(error.message).toContain('unknown field "spec.restartPolice"')
        const { warnings } = await kubernetes.create(pods, typo, { fieldValidation: 'Warn', dryRun: true })
        expect(warnings).toEqual(['unknown field "spec.restartPolice"'])
      })

      it('a status patch changes the status and nothing else', async () => {
        const { object: made } = await kubernetes.create(pods, waiting('status'))
        const body = { metadata: { labels: { sly: 'yes' } }, status: { message: 'hello' } }
        const patched = await kubernetes.patch(
          pods,
          named('status'),
          { type: 'merge', body },
          { subresource: 'status' },
        )
        expect(patched.object['status']).toMatchObject({ message: 'hello', phase: 'Pending' })
        expect(patched.object['spec']).toEqual(made['spec'])
        expect(patched.object.metadata.generation).toBe(made.metadata.generation)
        const ignored = { status: { message: 'ignored' } }
        const plain = await kubernetes.patch(pods, named('status'), { type: 'merge', body: ignored })
        expect(plain.object['status']).toMatchObject({ message: 'hello' })
        await kubernetes.delete(pods, named('status'))
      })

      it('fields of a pod that may not change are refused', async () => {
        await kubernetes.create(pods, waiting('fixed'))
        const body = { spec: { restartPolicy: 'Never' } }
        const error = await refusal(kubernetes.patch(pods, named('fixed'), { type: 'merge', body }), 'invalid')
        expect(error.causes[0]).toMatchObject({ reason: 'FieldValueForbidden', field: 'spec' })
        await kubernetes.delete(pods, named('fixed'))
      })

      it('a pod needs its ServiceAccount', async () => {
        const error = await refusal(
          kubernetes.create(pods, waiting('nobody', { serviceAccountName: 'nobody' })),
          'forbidden',
        )
        expect(error.message).toContain('serviceaccount "nobody" not found')
      })

      it.skipIf(without.includes('quota'))('a full quota is its own kind of error', async () => {
        const quota = object('v1', 'ResourceQuota', named('none'), { spec: { hard: { 'count/secrets': '0' } } })
        await kubernetes.create(quotas, quota)
        await eventually('the quota counts', async () => {
          const { status } = (await kubernetes.get(quotas, named('none'))) as { status?: { hard?: object } }
          return status?.hard !== undefined
        })
        const secret = object('v1', 'Secret', named('one-too-many'), {})
        await refusal(kubernetes.create(secrets, secret), 'quota')
        await kubernetes.delete(quotas, named('none'))
      })
    })

    describe('deletion', () => {
      it('an object with a finalizer is deleting until it is taken off', async () => {
        await kubernetes.create(configMaps, configMap('held', {}, { finalizers: ['dayfly.dev/test'] }))
        expect(await kubernetes.delete(configMaps, named('held'))).toBe('deleting')
        const held = await kubernetes.get(configMaps, named('held'))
        expect(held.metadata.deletionTimestamp).toBeDefined()
        expect(await kubernetes.delete(configMaps, named('held'))).toBe('deleting')
        const free = { type: 'merge', body: { metadata: { finalizers: null } } } as const
        await kubernetes.patch(configMaps, named('held'), free)
        expect(await kubernetes.delete(configMaps, named('held'))).toBe('absent')
      })

      it('what an object owns goes with it', async () => {
        const { object: owner } = await kubernetes.create(configMaps, configMap('owner'))
        const uid = owner.metadata.uid ?? ''
        const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }]
        await kubernetes.create(configMaps, configMap('owned', {}, { ownerReferences }))
        await kubernetes.delete(configMaps, named('owner'), { propagationPolicy: 'Background' })
        await eventually('the dependent is collected', () => isAbsent(kubernetes.get(configMaps, named('owned'))))
      })

      it('a namespace takes what is in it along, and takes nothing new', async () => {
        const doomed = `${namespace}-doomed`
        await kubernetes.create(namespaces, object('v1', 'Namespace', { name: doomed }))
        const inside = {
          ...configMap('inside'),
          metadata: { namespace: doomed, name: 'inside', finalizers: ['a.b/c'] },
        }
        await kubernetes.create(configMaps, inside)
        expect(await kubernetes.delete(namespaces, { name: doomed })).toBe('deleting')
        const late = { ...configMap('late'), metadata: { namespace: doomed, name: 'late' } }
        const error = await refusal(kubernetes.create(configMaps, late), 'forbidden')
        expect(error.causes).toEqual([expect.objectContaining({ reason: 'NamespaceTerminating' })])
        await eventually('the content is deleting', async () => {
          const { metadata } = await kubernetes.get(configMaps, { namespace: doomed, name: 'inside' })
          return metadata.deletionTimestamp !== undefined
        })
        const free = { type: 'merge', body: { metadata: { finalizers: [] } } } as const
        await kubernetes.patch(configMaps, { namespace: doomed, name: 'inside' }, free)
        await eventually('the namespace is gone', () => isAbsent(kubernetes.get(namespaces, { name: doomed })), 20_000)
      })
    })

    describe('reflector', () => {
      it('sees what there is, and every change, as a list would show it', async () => {
        await kubernetes.create(configMaps, configMap('before', { a: '1' }))
        const { objects, seen, stop, version } = mirror(configMaps)
        await eventually('the list is in', async () => seen.replaced === 1 && objects.has('before'))
        const { object: changed } = await kubernetes.patch(configMaps, named('before'), {
          type: 'merge',
          body: { data: { a: '2' } },
        })
        const { object: made } = await kubernetes.create(configMaps, configMap('during'))
        await eventually('both changes are seen', async () => {
          return (
            version('before') === changed.metadata.resourceVersion &&
            version('during') === made.metadata.resourceVersion
          )
        })
        expect(objects.get('before')).toEqual(changed)
        await kubernetes.delete(configMaps, named('before'))
        await eventually('the deletion is seen', async () => !objects.has('before'))
        const { items } = await kubernetes.list(configMaps, { namespace })
        expect([...objects.keys()].sort()).toEqual(items.map(({ metadata }) => metadata.name).sort())
        expect(seen).toMatchObject({ replaced: 1, stale: [] })
        expect(seen.progressed).toBeGreaterThan(0)
        await stop()
      })

      it('an object that leaves the selector is removed, one that enters is there', async () => {
        const { objects, seen, stop } = mirror(configMaps, 'team=red')
        await eventually('the list is in', async () => seen.replaced === 1)
        await kubernetes.create(configMaps, configMap('moves', {}, { labels: { team: 'blue' } }))
        const paint = (team: string) =>
          kubernetes.patch(configMaps, named('moves'), { type: 'merge', body: { metadata: { labels: { team } } } })
        await paint('red')
        await eventually('it entered', async () => objects.has('moves'))
        await paint('blue')
        await eventually('it left', async () => !objects.has('moves'))
        await stop()
      })

      it('gives the same by pages where streaming lists are refused', async () => {
        const refusing: Transport = (request) =>
          request.query['sendInitialEvents']
            ? Promise.resolve({ status: 422, headers: {}, body: { kind: 'none' } })
            : cluster.transport(request)
        const paged = mirror(configMaps, undefined, refusing)
        const streamed = mirror(configMaps)
        await eventually('both lists are in', async () => paged.seen.replaced + streamed.seen.replaced === 2)
        await kubernetes.create(configMaps, configMap('after-both'))
        await eventually(
          'both see it',
          async () => paged.objects.has('after-both') && streamed.objects.has('after-both'),
        )
        const sorted = ({ objects }: typeof paged) => [...objects.entries()].sort(([a], [b]) => (a < b ? -1 : 1))
        expect(sorted(paged)).toEqual(sorted(streamed))
        await Promise.all([paged.stop(), streamed.stop()])
      })

      it('starts over from a position that is too old, and proves itself up to date after a break', async () => {
        let breakAt = 0
        const cutting: Transport = async (request) => {
          if (request.query['watch'] && request.query['resourceVersion']) breakAt++
          if (breakAt === 1) return cluster.transport({ ...request, query: { ...request.query, resourceVersion: '1' } })
          const answer = await cluster.transport(request)
          if (answer.body.kind !== 'events' || request.query['resourceVersion']) return answer
          const { items } = answer.body
          const cut = async function* () {
            for await (const item of items) {
              yield item
              if ((item as { type: string }).type === 'BOOKMARK') return
            }
          }
          return { ...answer, body: { kind: 'events', items: cut() } }
        }
        const { objects, seen, stop } = mirror(configMaps, undefined, cutting)
        await eventually('the list is in', async () => seen.replaced >= 1)
        await kubernetes.create(configMaps, configMap('after-cut'))
        await eventually('the change is seen', async () => objects.has('after-cut'), 15_000)
        await stop()
      })
    })

    describe('custom resources', () => {
      const group = `${run}.dayfly.test`
      const things: Resource = { group, version: 'v1', plural: 'things', kind: 'Thing', namespaced: true }
      const schema = {
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            required: ['size'],
            properties: {
              size: { type: 'integer', minimum: 1 },
              mode: { type: 'string', enum: ['a', 'b'], default: 'a' },
            },
          },
          status: { type: 'object', properties: { ready: { type: 'boolean' } } },
        },
      }
      const definition = object(
        'apiextensions.k8s.io/v1',
        'CustomResourceDefinition',
        { name: `things.${group}` },
        {
          spec: {
            group,
            scope: 'Namespaced',
            names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
            versions: [
              {
                name: 'v1',
                served: true,
                storage: true,
                subresources: { status: {} },
                schema: { openAPIV3Schema: schema },
              },
            ],
          },
        },
      )
      const thing = (name: string, spec: object) => object(`${group}/v1`, 'Thing', named(name), { spec })

      beforeAll(async () => {
        await kubernetes.create(crds, definition)
        await eventually('the kind is served', async () => (await kubernetes.list(things, { namespace })).items)
      })
      afterAll(async () => {
        await kubernetes.delete(crds, { name: `things.${group}` })
      })

      it('are defaulted and counted by generation; their status is apart', async () => {
        const { object: made } = await kubernetes.create(things, thing('one', { size: 1 }))
        expect(made['spec']).toEqual({ size: 1, mode: 'a' })
        expect(made.metadata.generation).toBe(1)
        const body = { spec: { size: 9 }, status: { ready: true } }
        const status = await kubernetes.patch(things, named('one'), { type: 'merge', body }, { subresource: 'status' })
        expect(status.object).toMatchObject({ spec: { size: 1 }, status: { ready: true }, metadata: { generation: 1 } })
        const spec = await kubernetes.patch(things, named('one'), {
          type: 'merge',
          body: { spec: { size: 2 }, status: { ready: false } },
        })
        expect(spec.object).toMatchObject({ spec: { size: 2 }, status: { ready: true }, metadata: { generation: 2 } })
      })

      it('are refused with causes, and pruned or refused by field validation', async () => {
        const error = await refusal(kubernetes.create(things, thing('bad', { size: 0, mode: 'c' })), 'invalid')
        expect(error.causes.map(({ field }) => field).sort()).toEqual(['spec.mode', 'spec.size'])
        const odd = thing('odd', { size: 1, colour: 'red' })
        await refusal(kubernetes.create(things, odd, { fieldValidation: 'Strict' }), 'bad-request')
        const { object: pruned, warnings } = await kubernetes.create(things, odd, { fieldValidation: 'Warn' })
        expect(pruned['spec']).toEqual({ size: 1, mode: 'a' })
        expect(warnings).toEqual(['unknown field "spec.colour"'])
      })

      it('are mirrored like built-in kinds', async () => {
        const { objects, seen, stop } = mirror(things)
        await eventually('the list is in', async () => seen.replaced === 1)
        const { object: made } = await kubernetes.create(things, thing('two', { size: 2 }))
        await eventually('it is seen', async () => objects.has('two'))
        expect(objects.get('two')).toEqual(made)
        expect(await kubernetes.delete(things, named('two'))).toBe('deleted')
        await eventually('it is gone', async () => !objects.has('two'))
        await stop()
      })
    })

    describe('leases', () => {
      it('one of two leads; the other starts as soon as it is released', async () => {
        const durations = { leaseMs: 4_000, renewMsMax: 2_500, retryMs: 300 }
        const start = (identity: string) => {
          const until = new AbortController()
          const self = { leadership: undefined as Leadership | undefined, stop: async () => {} }
          const elector = createElector({ kubernetes, namespace, name: 'leader', identity, clock, random, durations })
          const done = elector.run(async (leadership) => {
            self.leadership = leadership
            await aborted(leadership.signal)
          }, until.signal)
          self.stop = async () => {
            until.abort(new Error('over'))
            await done
          }
          return self
        }
        const first = start('first')
        await eventually('the first leads', async () => first.leadership)
        const second = start('second')
        await clock.sleep(5_000)
        expect(second.leadership).toBeUndefined()
        expect(first.leadership!.validUntil()).toBeGreaterThan(clock.now())
        await first.stop()
        await eventually('the second leads', async () => second.leadership, 2_000)
        expect(await kubernetes.get(leases, named('leader'))).toMatchObject({
          spec: { holderIdentity: 'second', leaseTransitions: 1, leaseDurationSeconds: 4 },
        })
        await second.stop()
      })
    })
  })
}

type Condition = { readonly type: string; readonly reason?: string }

function object(apiVersion: string, kind: string, metadata: KubeObject['metadata'], fields: object = {}): KubeObject {
  return { apiVersion, kind, metadata, ...fields }
}

async function refusal(call: Promise<unknown>, kind: KubernetesErrorKind): Promise<KubernetesError> {
  const error: unknown = await call.then(
    (value) => new Error(`expected ${kind}, but it was accepted: ${JSON.stringify(value)?.slice(0, 200)}`),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof KubernetesError)) throw error
  expect({ kind: error.kind, message: error.message }).toEqual({ kind, message: error.message })
  return error
}

async function isAbsent(get: Promise<KubeObject>): Promise<boolean> {
  return get.then(
    () => false,
    (error: unknown) => {
      if (error instanceof KubernetesError && error.kind === 'not-found') return true
      throw error
    },
  )
}

/** Waits until the condition holds; an error of the API server counts as "not yet". */
async function eventually(what: string, condition: () => Promise<unknown>, ms = 10_000): Promise<void> {
  const end = clock.now() + ms
  let last: unknown
  while (clock.now() < end) {
    try {
      if (await condition()) return
      last = undefined
    } catch (error) {
      if (!(error instanceof KubernetesError)) throw error
      last = error
    }
    await clock.sleep(30)
  }
  throw new Error(`not within ${ms} ms: ${what}`, { cause: last })
}
