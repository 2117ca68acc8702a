// The calls about broken jobs that are made now.
import { expect, it } from 'vitest'
import type { BrokenRun } from '../../model/rerun.ts'
import type { SetWorld } from '../../model/world.ts'
import { limits, now, runnerSet, world } from '../world.fixture.ts'
import { decideReruns } from './decide-reruns.ts'
import { brokenJob, brokenRun, note } from './rerun.fixture.ts'
import { noReruns } from './reruns.ts'

const policy = { perRun: 3, perDay: 100, notify: true }
const set = runnerSet({ source: { ...runnerSet().source, rerun: policy } })
const retry = (retryIn: number) => ({ failures: 1, retryAt: now + retryIn })
const unknown = { known: false, since: now, why: '' } as const
const many = (count: number, over: (index: number) => Partial<BrokenRun> = () => ({})) =>
  Array.from({ length: count }, (_, index) => brokenRun(`${index}`, over(index)))
const noted = (run: string, ...others: readonly ReturnType<typeof brokenJob>[]) =>
  brokenRun(run, { jobs: [...others, brokenJob('x', { note })], dueAt: now + 9_000 })

/** Shows each call by its run, and when to look again. */
function calls(runs: readonly BrokenRun[], over: Partial<SetWorld> = {}): string {
  const given = world([], { set, reruns: { ...noReruns, runs }, ...over })
  const { actions, wakeAt } = decideReruns({ world: given, limits, now })
  const shown = actions.map((action) => (action.kind === 'ask-run' ? `${action.run} ${action.ask.is}` : action.kind))
  return [...shown, ...(wakeAt === undefined ? [] : [`+${wakeAt - now}`])].join(', ')
}

it.each<[string, readonly BrokenRun[], Partial<SetWorld>, string]>([
  ['a run that is due', [brokenRun('7')], {}, '7 look'],
  ['what is next for it', [brokenRun('7', { next: { is: 'end' } })], {}, '7 end'],
  ['one that is due later', [brokenRun('7', { dueAt: now + 1 })], {}, '+1'],
  ['one whose call is under way', [brokenRun('7', { underway: true })], {}, ''],
  ['nothing', [], {}, ''],
  ['a set that repeats nothing', [brokenRun('7')], { set: runnerSet() }, ''],
  [
    'a forge that fails',
    [brokenRun('7')],
    { forgeFailure: { reason: 'forge-unreachable', message: 'm', since: now } },
    '',
  ],
  ['a forge that has not reported', [brokenRun('7')], { demand: unknown }, ''],
  [
    'a paused set, whose forge reports nothing',
    [brokenRun('7')],
    { demand: unknown, set: { ...set, paused: true } },
    '7 look',
  ],
  ['those that have waited longest first', [brokenRun('8'), brokenRun('7', { dueAt: now - 1 })], {}, '7 look, 8 look'],
  ['a message to an author at once', [noted('7')], {}, '7 notify'],
  ['a message, while another job of the run is due later', [noted('7', brokenJob('y'))], {}, '7 notify, +9000'],
  ['the other job first', [{ ...noted('7', brokenJob('y')), dueAt: now }], {}, '7 look'],
  ['one call after a failure, when it is due again', many(3), { retries: { 'look-run': retry(0) } }, '0 look'],
  ['none before that', many(2), { retries: { 'change-run': retry(5_000) } }, '+5000'],
  [
    'none while another one is under way',
    [brokenRun('8', { underway: true }), brokenRun('7')],
    { retries: { 'look-run': retry(0) } },
    '',
  ],
  ['a message although looks fail', [noted('7')], { retries: { 'look-run': retry(5_000) } }, '7 notify'],
  [
    'no message while messages fail',
    [noted('7'), brokenRun('8')],
    { retries: { 'notify-author': retry(5_000) } },
    '8 look, +5000',
  ],
])('asks about %s', (_, runs, over, expected) => {
  expect(calls(runs, over)).toBe(expected)
})

it('has 16 calls under way at most, messages included', () => {
  const count = (runs: readonly BrokenRun[]) => calls(runs).split(', ').filter(Boolean).length
  expect(count(many(20))).toBe(16)
  expect(count(many(20, (index) => ({ underway: index < 10 })))).toBe(6)
  expect(count([...many(14), noted('a'), noted('b'), noted('c')])).toBe(16)
  expect(count(many(20, (index) => ({ underway: index < 17 })))).toBe(0)
})
