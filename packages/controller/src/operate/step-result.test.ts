import { KubernetesError } from '@dayfly/kubernetes/errors'
import { PortError } from '@dayfly/runner-set/model/port-error'
import { expect, it } from 'vitest'
import { pods } from '../resources.ts'
import { AccessFailure } from './read.ts'
import { takeStep } from './step-result.ts'

const access = { verb: 'get', resource: pods, namespace: 'ci' } as const

it.each([
  ['a refusal of the API server', new KubernetesError('conflict', 'x'), 'kept'],
  ['a write without a readable answer', new KubernetesError('unavailable', 'x', { perhapsDone: true }), 'unknown'],
  ['a read that failed', new AccessFailure(access, new KubernetesError('forbidden', 'x')), 'kept'],
  ['a refusal of the forge', new PortError('github', 'conflict', 'x'), 'kept'],
  ['a forge that does not answer', new PortError('github', 'unavailable', 'x'), 'unknown'],
])('%s ends the step with a result, also after an interruption', async (_, error, is) => {
  const interruption = new AbortController()
  expect(await takeStep(interruption.signal, () => Promise.reject(error))).toEqual({ is, why: 'x' })
  const interrupted = takeStep(interruption.signal, () => {
    interruption.abort()
    return Promise.reject(error)
  })
  expect(await interrupted).toEqual({ is, why: 'x' })
})

it('does not begin a step after an interruption, and does not know the result of one that it cuts off', async () => {
  const interruption = new AbortController()
  const { signal } = interruption
  const cutOff = takeStep(signal, () => {
    interruption.abort()
    return Promise.reject(signal.reason)
  })
  expect(await cutOff).toMatchObject({ is: 'unknown' })
  let begun = false
  const later = await takeStep(signal, async () => {
    begun = true
    return { is: 'done', why: 'x' }
  })
  expect([later.is, begun]).toEqual(['skipped', false])
})

it('throws an error that is no answer', async () => {
  await expect(takeStep(undefined, () => Promise.reject(new TypeError('x')))).rejects.toThrow(TypeError)
})
