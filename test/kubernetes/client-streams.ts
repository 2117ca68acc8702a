// Tests the client's watches, custom resources and leases.
import type { Transport } from '@dayfly/kit/http'
import { aborted } from '@dayfly/kit/signals'
import { systemStopwatch } from '@dayfly/kit/system'
import { createElector, type Leadership } from '@dayfly/kubernetes/lease'
import { leases } from '@dayfly/kubernetes/lease-record'
import type { Resource } from '@dayfly/kubernetes/types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clock, configMaps, crds, eventually, object, type Place, random, refusal } from './client-place.ts'

export function streamSuite({ run, namespace, kubernetes, transport, named, configMap, mirror }: Place): void {
  describe('reflector', () => {
    it('sees all objects and every change in the same form as a list', async () => {
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
          version('before') === changed.metadata.resourceVersion && version('during') === made.metadata.resourceVersion
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

    it('removes an object that stops matching the selector, and adds one that starts to match', async () => {
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

    it('returns the same objects by pages if the server refuses streaming lists', async () => {
      const refusing: Transport = (request) =>
        request.query['sendInitialEvents']
          ? Promise.resolve({ status: 422, headers: {}, body: { kind: 'none' } })
          : transport(request)
      const paged = mirror(configMaps, undefined, refusing)
      const streamed = mirror(configMaps)
      await eventually('both lists are in', async () => paged.seen.replaced + streamed.seen.replaced === 2)
      await kubernetes.create(configMaps, configMap('after-both'))
      await eventually('both see it', async () => paged.objects.has('after-both') && streamed.objects.has('after-both'))
      const sorted = ({ objects }: typeof paged) => [...objects.entries()].sort(([a], [b]) => (a < b ? -1 : 1))
      expect(sorted(paged)).toEqual(sorted(streamed))
      await Promise.all([paged.stop(), streamed.stop()])
    })

    it('starts again from a list if its position is too old, and is up to date again after a break', async () => {
      let breakAt = 0
      const cutting: Transport = async (request) => {
        if (request.query['watch'] && request.query['resourceVersion']) breakAt++
        if (breakAt === 1) return transport({ ...request, query: { ...request.query, resourceVersion: '1' } })
        const answer = await transport(request)
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

    it('get defaults and a generation, and their status changes separately', async () => {
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

    it('are refused with causes if they are invalid, and unknown fields are pruned or refused', async () => {
      const error = await refusal(kubernetes.create(things, thing('bad', { size: 0, mode: 'c' })), 'invalid')
      expect(error.causes.map(({ field }) => field).sort()).toEqual(['spec.mode', 'spec.size'])
      const odd = thing('odd', { size: 1, colour: 'red' })
      await refusal(kubernetes.create(things, odd, { fieldValidation: 'Strict' }), 'bad-request')
      const { object: pruned, warnings } = await kubernetes.create(things, odd, { fieldValidation: 'Warn' })
      expect(pruned['spec']).toEqual({ size: 1, mode: 'a' })
      expect(warnings).toEqual(['unknown field "spec.colour"'])
    })

    it('appear in a reflector like built-in kinds', async () => {
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
    it('let one of two candidates lead, and the other one as soon as the lease is released', async () => {
      const durations = { leaseMs: 3_000, renewMsMax: 2_000, retryMs: 250 }
      const start = (identity: string) => {
        const until = new AbortController()
        const self = { leadership: undefined as Leadership | undefined, stop: async () => {} }
        const elector = createElector({
          kubernetes,
          namespace,
          name: 'leader',
          identity,
          clock,
          stopwatch: systemStopwatch,
          random,
          durations,
        })
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
      await clock.sleep(3_500)
      expect(second.leadership).toBeUndefined()
      expect(first.leadership!.isCertain()).toBe(true)
      await first.stop()
      await eventually('the second leads', async () => second.leadership, 2_000)
      expect(await kubernetes.get(leases, named('leader'))).toMatchObject({
        spec: { holderIdentity: 'second', leaseTransitions: 1, leaseDurationSeconds: 3 },
      })
      await second.stop()
    })
  })
}
