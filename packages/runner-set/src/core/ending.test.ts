import { expect, it } from 'vitest'
import type { EndCause } from '../model/end-cause.ts'
import type { DeregisterAnswer, PodFacts, Runner } from '../model/runner.ts'
import { endStep } from './ending.ts'
import { ended, limits, now, podFacts, runner, world } from './world.fixture.ts'

const surplus: EndCause = { kind: 'surplus' }
const waiting = podFacts()
const running = podFacts({ startedAt: now })
const unregistered: Partial<Runner> = { registration: { is: 'absent', at: now } }
const answered = (answer: DeregisterAnswer): Partial<Runner> => ({
  ...unregistered,
  ending: { because: surplus, answer, failures: 0, retryAt: undefined },
})

it.each<[string, PodFacts, Partial<Runner>, EndCause, string | undefined]>([
  ['only as it was: it waits, and a job may reach it', waiting, unregistered, surplus, '1'],
  ['only as it was: the forge did not know it', waiting, answered('absent'), surplus, '1'],
  ['in any state: its registration is removed', waiting, answered('removed'), surplus, undefined],
  ['in any state: it exceeded its life', waiting, unregistered, { kind: 'life-exceeded' }, undefined],
  ['in any state: it runs', running, unregistered, { kind: 'ghost' }, undefined],
  ['in any state: it has ended', podFacts({ end: ended }), {}, { kind: 'ended' }, undefined],
])('deletes a pod %s', (_name, pod, over, because, resourceVersion) => {
  const { action } = endStep({ world: world([]), limits, now }, runner('a', {}, over), pod, because)
  expect(action).toEqual({ kind: 'delete-runner', runner: 'a', pod: { uid: 'uid', resourceVersion }, because })
})
