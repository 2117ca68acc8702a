// A scale set that another autoscaler made is taken over by its id in the status, while the controller runs and calls take 150 ms.

import { runnerSets } from '@dayfly/controller/resources'
import { seededRandom } from '@dayfly/kit/random'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { expect, test } from 'vitest'
import { namespace, openStage } from './stage.ts'

type Status = { readonly forge?: Record<string, string>; readonly lastReason?: string }

test('a set connects within a second after an operator has stored the id of the scale set of its name', async () => {
  const stage = await openStage({ forgeMs: 150, apiMs: 150 })
  const { clock, registry, transport, controller, entries } = stage
  const kubernetes = createKubernetes({ transport, clock, random: seededRandom(2) })
  const status = () => registry.get('runnersets.dayfly.dev', namespace, 'linux')?.['status'] as Status
  const store = async (forge: object | null) => {
    const options = { subresource: 'status' } as const
    const body = { status: { forge } }
    const stored = kubernetes.patch(runnerSets, { namespace, name: 'linux' }, { type: 'merge', body }, options)
    await clock.advance(1_000)
    await stored
  }
  await clock.advance(5_000)
  const id = status().forge?.['scaleSetId'] ?? ''
  const stopping = controller.stop()
  await clock.advance(30_000)
  await stopping
  // Nothing shows any more that the scale set is ours: it is a stranger's.
  await store(null)
  stage.controller = stage.start('controller-2')
  await clock.advance(10 * 60_000)
  expect(status()).toMatchObject({ lastReason: 'registration-collides' })
  const connections = () => entries.filter(({ event }) => event.kind === 'forge-connected').length
  const before = connections()
  await store({ scaleSetId: id })
  await clock.advance(1_000)
  expect(connections()).toBeGreaterThan(before)
  expect(status().forge).toMatchObject({ scaleSetId: id })
})
