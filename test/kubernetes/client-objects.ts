// Tests the client's verbs on objects.
import { KubernetesError } from '@dayfly/kubernetes/errors'
import type { Resource } from '@dayfly/kubernetes/types'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Condition,
  configMaps,
  eventually,
  isAbsent,
  namespaces,
  object,
  type Place,
  pods,
  quotas,
  refusal,
  secrets,
} from './client-place.ts'

export function objectSuite({ namespace, kubernetes, named, configMap }: Place): void {
  describe('verbs', () => {
    it('create returns the stored object with its metadata, get finds it, and a second create is refused', async () => {
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

    it('get, replace and patch of a missing object fail with not-found, and delete returns absent', async () => {
      const error = await refusal(kubernetes.get(configMaps, named('nobody')), 'not-found')
      expect(error).toMatchObject({ status: 404, about: 'nobody', message: 'configmaps "nobody" not found' })
      await refusal(kubernetes.patch(configMaps, named('nobody'), { type: 'merge', body: {} }), 'not-found')
      expect(await kubernetes.delete(configMaps, named('nobody'))).toBe('absent')
      expect(await kubernetes.delete(configMaps, named('nobody'), { preconditions: { uid: 'x' } })).toBe('absent')
    })

    it('delete of an unknown kind fails with not-found instead of returning absent', async () => {
      const unknown: Resource = { ...pods, group: 'nowhere.example', plural: 'things', kind: 'Thing' }
      await refusal(kubernetes.get(unknown, named('x')), 'not-found')
      await refusal(kubernetes.list(unknown), 'not-found')
      await refusal(kubernetes.delete(unknown, named('x')), 'not-found')
    })

    it('replace with an older resourceVersion fails with conflict and changes nothing', async () => {
      const { object: first } = await kubernetes.create(configMaps, configMap('replaced', { a: '1' }))
      const { object: second } = await kubernetes.replace(configMaps, { ...first, data: { a: '2' } })
      expect(second.metadata.resourceVersion).not.toBe(first.metadata.resourceVersion)
      const error = await refusal(kubernetes.replace(configMaps, { ...first, data: { a: '3' } }), 'conflict')
      expect(error.message).toContain('the object has been modified')
      expect((await kubernetes.get(configMaps, named('replaced')))['data']).toEqual({ a: '2' })
    })

    it('merge patches set, remove and keep fields, and JSON patches test and change fields', async () => {
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

    it('a dry run of create, replace, patch and delete returns an answer and changes nothing', async () => {
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

    it('a change of an immutable Secret is refused with the name of the field', async () => {
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

    it('many concurrent writes all succeed', async () => {
      const names = Array.from({ length: 60 }, (_, index) => `burst-${index}`)
      await Promise.all(names.map((name) => kubernetes.create(configMaps, configMap(name, {}, burst))))
      const { items } = await kubernetes.list(configMaps, { namespace, labelSelector: 'burst=yes' })
      expect(items.map(({ metadata }) => metadata.name).sort()).toEqual(names.sort())
      await Promise.all(names.map((name) => kubernetes.delete(configMaps, named(name))))
    })
    const burst = { labels: { burst: 'yes' } }

    it("an aborted call rejects with the signal's reason", async () => {
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

    it('returns all pages of one snapshot, and each object has its type', async () => {
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

    it('refuses invalid selectors', async () => {
      await refusal(kubernetes.list(configMaps, { namespace, labelSelector: 'a=b=c' }), 'bad-request')
      await refusal(kubernetes.list(configMaps, { namespace, fieldSelector: 'data.a=1' }), 'bad-request')
    })

    it('is empty for a namespace that does not exist', async () => {
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
      // A real cluster creates the default ServiceAccount shortly after the namespace. It refuses pods until then.
      await eventually('a pod is accepted', async () => {
        await kubernetes.create(pods, waiting('probe'), { dryRun: true })
        return true
      })
    })

    it('a pod that no node takes stays pending, and its deletion is immediate for any grace period', async () => {
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

    it('delete with another UID or resourceVersion is refused and keeps the pod', async () => {
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

    it('unknown fields are refused in strict mode, and cause a warning otherwise', async () => {
      const typo = waiting('typo', { restartPolice: 'Never' })
      const error = await refusal(kubernetes.create(pods, typo, { fieldValidation: 'Strict' }), 'bad-request')
      expect(error.message).toContain('unknown field "spec.restartPolice"')
      const { warnings } = await kubernetes.create(pods, typo, { fieldValidation: 'Warn', dryRun: true })
      expect(warnings).toEqual(['unknown field "spec.restartPolice"'])
    })

    it('a status patch changes the status and nothing else', async () => {
      const { object: made } = await kubernetes.create(pods, waiting('status'))
      const body = { metadata: { labels: { sly: 'yes' } }, status: { message: 'hello' } }
      const patched = await kubernetes.patch(pods, named('status'), { type: 'merge', body }, { subresource: 'status' })
      expect(patched.object['status']).toMatchObject({ message: 'hello', phase: 'Pending' })
      expect(patched.object['spec']).toEqual(made['spec'])
      expect(patched.object.metadata.generation).toBe(made.metadata.generation)
      const ignored = { status: { message: 'ignored' } }
      const plain = await kubernetes.patch(pods, named('status'), { type: 'merge', body: ignored })
      expect(plain.object['status']).toMatchObject({ message: 'hello' })
      await kubernetes.delete(pods, named('status'))
    })

    it('changes of immutable fields of a pod are refused', async () => {
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

    it('a create beyond the quota fails with the kind quota', async () => {
      const quota = object('v1', 'ResourceQuota', named('none'), { spec: { hard: { 'count/secrets': '0' } } })
      await kubernetes.create(quotas, quota)
      // The admission of the API server reads quotas from a cache, so that it accepts a few more.
      await eventually('the quota refuses a Secret', async () => {
        const secret = object('v1', 'Secret', named('one-too-many'), {})
        const error = await kubernetes.create(secrets, secret).then(
          () => kubernetes.delete(secrets, named('one-too-many')).then(() => undefined),
          (refused: unknown) => refused,
        )
        if (error instanceof KubernetesError) expect(error.kind).toBe('quota')
        return error !== undefined
      })
      await kubernetes.delete(quotas, named('none'))
    })
  })

  describe('deletion', () => {
    it('an object with a finalizer is deleting until the finalizer is removed', async () => {
      await kubernetes.create(configMaps, configMap('held', {}, { finalizers: ['dayfly.dev/test'] }))
      expect(await kubernetes.delete(configMaps, named('held'))).toBe('deleting')
      const held = await kubernetes.get(configMaps, named('held'))
      expect(held.metadata.deletionTimestamp).toBeDefined()
      expect(await kubernetes.delete(configMaps, named('held'))).toBe('deleting')
      const free = { type: 'merge', body: { metadata: { finalizers: null } } } as const
      await kubernetes.patch(configMaps, named('held'), free)
      expect(await kubernetes.delete(configMaps, named('held'))).toBe('absent')
    })

    it('the deletion of an object deletes its dependents', async () => {
      const { object: owner } = await kubernetes.create(configMaps, configMap('owner'))
      const uid = owner.metadata.uid ?? ''
      const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }]
      await kubernetes.create(configMaps, configMap('owned', {}, { ownerReferences }))
      await kubernetes.delete(configMaps, named('owner'), { propagationPolicy: 'Background' })
      await eventually('the dependent is collected', () => isAbsent(kubernetes.get(configMaps, named('owned'))))
    })

    it('the deletion of a namespace deletes its objects, and the namespace refuses new objects', async () => {
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
}
