import { describe, expect, it } from 'vitest'
import { type CallEnd, initialWidth, type Width, type WidthPolicy, widthAfter } from './adaptive-width.ts'

const policy: WidthPolicy = { start: 32, least: 4, most: 128, waitingLow: 16, waitingHigh: 24 }

const call = (startedAt: number, ms: number, more: Partial<CallEnd> = {}): CallEnd => ({
  kind: 'POST pods',
  startedAt,
  endedAt: startedAt + ms,
  refused: false,
  full: true,
  ...more,
})

/** Makes this many calls, as many at once as the width allows. Each takes as long as `ms` says for the width at its start. */
function repeated(
  count: number,
  ms: (calls: number) => number,
  more: Partial<CallEnd> = {},
  from = initialWidth(policy),
) {
  let width: Width = from
  let now = 1_000_000
  for (let index = 0; index < count; index++) {
    const took = ms(width.calls)
    width = widthAfter(width, call(now, took, more), policy)
    now += took / width.calls
  }
  return width
}

/** A server that handles `most` calls at once in `baseMs`, and lets the others wait. */
const serving = (most: number, baseMs: number) => (calls: number) => baseMs * Math.max(1, calls / most)

describe('one call', () => {
  it.each<[string, Width, CallEnd, number]>([
    ['refused: half', initialWidth(policy), call(0, 5, { refused: true }), 16],
    ['refused at a small width: the least', { ...initialWidth(policy), calls: 5 }, call(0, 5, { refused: true }), 4],
    [
      'refused, but begun before the last cut: as before',
      { ...initialWidth(policy), shrunkAt: 9 },
      call(8, 5, { refused: true }),
      32,
    ],
    [
      'refused, begun at the last cut: half',
      { ...initialWidth(policy), shrunkAt: 8 },
      call(8, 5, { refused: true }),
      16,
    ],
    ['fast, and others wait for their turn: more', initialWidth(policy), call(0, 5), 32.25],
    ['fast, and no other waits: as before', initialWidth(policy), call(0, 5, { full: false }), 32],
    ['fast at the most: as before', { ...initialWidth(policy), calls: 128 }, call(0, 5), 128],
    ['in no time at all: more', initialWidth(policy), call(0, 0), 32.25],
  ])('%s', (_name, before, end, calls) => {
    expect(widthAfter(before, end, policy).calls).toBe(calls)
  })
})

describe('many calls', () => {
  it('grow to the most at a server that is slow and never full', () => {
    expect(repeated(1_000, () => 300).calls).toBe(128)
  })

  it.each([
    [2, 4],
    [8, 20],
    [20, 50],
  ])('settle where %s that run and a few that wait fill the server', (most, baseMs) => {
    // The first calls are alone, so that they show the time without waiting.
    const alone = repeated(5, () => baseMs, { full: false })
    const { calls } = repeated(3_000, serving(most, baseMs), {}, alone)
    expect(calls - most).toBeGreaterThan(policy.waitingLow - 6)
    expect(calls - most).toBeLessThan(policy.waitingHigh + 4)
  })

  it('do not shrink for one slow kind beside a fast one', () => {
    let width = initialWidth(policy)
    for (let index = 0; index < 500; index++) {
      const kind = index % 2 === 0 ? 'POST pods' : 'DELETE secrets'
      width = widthAfter(width, call(index * 10, kind === 'POST pods' ? 400 : 4, { kind }), policy)
    }
    expect(width.calls).toBe(128)
  })

  it('shrink once for all refusals of one moment, and grow again afterwards', () => {
    let width = initialWidth(policy)
    for (let index = 0; index < 32; index++) width = widthAfter(width, call(100, 50 + index, { refused: true }), policy)
    expect(width.calls).toBe(16)
    expect(repeated(200, () => 50, {}, width).calls).toBeGreaterThan(40)
  })

  it('accept after two minutes that a server has become slower', () => {
    const fast = repeated(50, () => 10, { full: false })
    const slower = repeated(60, () => 200, {}, { ...fast, calls: 32 })
    expect(slower.calls).toBeLessThan(32)
    let width = slower
    for (let second = 0; second < 240; second++)
      width = widthAfter(width, call(2_000_000 + second * 1_000, 200), policy)
    expect(width.calls).toBeGreaterThan(slower.calls)
  })
})
