import { expect, it } from 'vitest'
import type { FailureReason } from '../../model/failure.ts'
import type { ContainerEnd } from '../../model/runner.ts'
import { now } from '../world.fixture.ts'
import { breakCauseOf } from './cause.ts'

const end = (over: Partial<ContainerEnd> = {}): ContainerEnd => ({ exitCode: 137, reason: 'Error', at: now, ...over })

it.each<[FailureReason, ContainerEnd | undefined, string | undefined]>([
  ['evicted', undefined, 'evicted'],
  ['preempted', undefined, 'preempted'],
  ['node-lost', undefined, 'node-lost'],
  ['node-shutdown', undefined, 'node-shutdown'],
  ['out-of-memory', end({ reason: 'OOMKilled' }), 'runner-out-of-memory'],
  ['out-of-memory', end({ killedHelper: 'docker' }), 'helper-out-of-memory'],
  ['out-of-memory', end({ killedHelper: 'docker', reason: 'OOMKilled' }), 'runner-out-of-memory'],
  ['out-of-memory', undefined, 'runner-out-of-memory'],
  ['image-missing', undefined, 'helper-image'],
  ['image-slow', undefined, 'helper-image'],
  ['image-invalid', undefined, 'helper-image'],
  ['runner-failed', end(), undefined],
])('%s with %o is the cause %s', (reason, ended, cause) => {
  expect(breakCauseOf({ reason, message: 'm' }, ended)).toBe(cause)
})
