// The plan of a takeover from what is left of ARC's set: a cut at any step leaves a plan that goes on.
import { expect, test } from 'vitest'
import { type ArcSet, arcListeners, arcRunnerSets, type Taking } from './gather.ts'
import { planArcRollback, planArcTakeover } from './plan.ts'

const arc = { namespace: 'ci', name: 'linux' }
const listener = { namespace: 'arc', name: 'linux-1-listener', uid: '2', resource: arcListeners, isHeld: false }
const runners = { namespace: 'ci', name: 'linux-abc', uid: '3', resource: arcRunnerSets, isHeld: false }
const set: ArcSet = {
  ...arc,
  uid: '1',
  scaleSetId: '7',
  isDeleting: false,
  holders: [listener, runners],
  runnerSet: { ...arc, answer: 'registration-collides' },
  delivery: undefined,
  release: 'linux',
}
const noted: Taking = { ...arc, note: { arc, scaleSetId: '7', release: 'linux' }, isConnected: false }
const held = { ...set, holders: [listener, runners].map((holder) => ({ ...holder, isHeld: true })) }

const plan = (sets: readonly ArcSet[], taking: readonly Taking[] = [], isDeliveryPaused = false) =>
  planArcTakeover({ sets, taking }, isDeliveryPaused)
const does = (...args: Parameters<typeof plan>) => plan(...args).steps.map((step) => step.does)

test('takes the id away only after the deletion, and while finalizers of Dayfly keep ARC waiting', () => {
  expect(does([set])).toEqual(['note', 'hold', 'delete', 'keep-scale-set', 'release', 'connect', 'finish'])
})

test.each([
  ['after the note', [set], [noted], ['hold', 'delete', 'keep-scale-set', 'release', 'connect', 'finish']],
  ['after the hold', [held], [noted], ['delete', 'keep-scale-set', 'release', 'connect', 'finish']],
  ['after the deletion', [{ ...held, isDeleting: true }], [noted], ['keep-scale-set', 'release', 'connect', 'finish']],
  [
    'after the id was taken away',
    [{ ...held, isDeleting: true, scaleSetId: undefined }],
    [noted],
    ['release', 'connect', 'finish'],
  ],
  ['after the release', [{ ...set, isDeleting: true, scaleSetId: undefined }], [noted], ['connect', 'finish']],
  ['after ARC removed its set', [], [noted], ['connect', 'finish']],
  ['after the connection', [], [{ ...noted, isConnected: true }], ['finish']],
  ['after the end', [], [], []],
] as const)('a takeover that was cut %s goes on', (_, sets, taking, steps) => {
  expect(does(sets, taking)).toEqual(steps)
})

test.each([
  ['no RunnerSet', { runnerSet: undefined }, 'dayfly import arc --live'],
  [
    'a RunnerSet without a credential',
    { runnerSet: { ...arc, answer: 'forge-misconfigured' } },
    'dayfly explain linux',
  ],
  ['a RunnerSet that no controller has read', { runnerSet: { ...arc, answer: undefined } }, 'does not wait'],
  ['a delivery by Flux', { delivery: 'Flux' }, '--delivery-paused'],
  ['no scale set', { scaleSetId: undefined }, 'ARC has made none'],
  ['nothing that holds ARC', { holders: [] }, 'ARC would delete the scale set'],
] as const)('leaves a set alone that has %s', (_, change, because) => {
  const { steps, untouched } = plan([{ ...set, ...change }])
  expect([steps, untouched]).toEqual([
    [],
    [{ what: 'AutoscalingRunnerSet ci/linux', because: expect.stringContaining(because) }],
  ])
})

test('a set that Flux delivers is taken over once its delivery is paused', () => {
  expect(does([{ ...set, delivery: 'Flux' }], [], true)).toHaveLength(7)
})

test.each([
  ['after the note', [set], ['forget']],
  ['after the hold', [held], ['release', 'forget']],
  [
    'after a hold of one object',
    [{ ...set, holders: [listener, { ...runners, isHeld: true }] }],
    ['release', 'forget'],
  ],
] as const)('a takeover that was cut %s can be given up', (_, sets, steps) => {
  const rollback = planArcRollback({ sets, taking: [noted] })
  expect(rollback.steps.map((step) => step.does)).toEqual(steps)
  expect(rollback.untouched).toEqual([])
})

test.each([
  ['is being deleted', [{ ...held, isDeleting: true }], 'nothing can stop a deletion'],
  ['is gone', [], "ARC's set is gone"],
] as const)('a takeover goes on if the set of ARC %s', (_, sets, because) => {
  const { steps, untouched } = planArcRollback({ sets, taking: [noted] })
  expect(steps).toEqual([])
  expect(untouched).toMatchObject([{ because: expect.stringContaining(because) }])
})
