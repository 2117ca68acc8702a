import { expect, test } from 'vitest'
import { CallBudget, CallBudgets, type CallKind } from './call-budget.ts'

const hour = 3_600_000
const policy = { leastMs: 10_000, mostMs: 240_000 }
const now = 10 * hour

function spend(budget: CallBudget, kind: CallKind, calls: number, at = now): void {
  for (let call = 0; call < calls; call++) expect(budget.take(kind, at)).toBeUndefined()
}

test.each([
  ['register', 100],
  ['list', 41],
  ['other', 1],
] as const)('%s is refused while fewer than its reserve of calls are left', (kind, reserve) => {
  const budget = new CallBudget()
  spend(budget, 'other', 1_000 - reserve)
  const limit = budget.take(kind, now)
  if (kind === 'register') expect(limit).toBeUndefined()
  else expect([limit, budget.remaining(now)]).toEqual([undefined, reserve - 1])
  spend(budget, 'other', budget.remaining(now))
  expect(budget.take(kind, now + 1_000)).toEqual({ reason: 'budget', until: now + hour })
  expect(budget.remaining(now + hour)).toBe(1_000)
})

test('a living runner keeps the calls for its end', () => {
  const budget = new CallBudget()
  budget.polled(budget, { living: 100, pages: 1 })
  expect(budget.registrations(now)).toEqual({ now: Math.floor((1_000 - 200 - 60) / 3), limit: undefined })
  spend(budget, 'other', 738)
  expect(budget.registrations(now)).toEqual({ now: 0, limit: { reason: 'budget', until: now + hour } })
  expect(budget.take('register', now)).toMatchObject({ reason: 'budget' })
  spend(budget, 'list', 1)
})

test('the limit says when enough old calls leave the window', () => {
  const budget = new CallBudget()
  for (let call = 0; call < 940; call++) spend(budget, 'other', 1, now + call)
  expect(budget.registrations(now + 1_000).limit).toEqual({ reason: 'budget', until: now + 2 + hour })
  expect(budget.registrations(now + 2 + hour)).toEqual({ now: 1, limit: undefined })
})

test.each([
  ['nothing else is called', 0, 0, 1, 10_000],
  ['200 runners an hour need 600 calls', 600, 20, 1, 12_000],
  ['a list has 5 pages', 400, 20, 5, 36_000],
  ['nearly every call is used', 930, 0, 1, 240_000],
] as const)('the time between two lists adapts: %s', (_, others, living, pages, ms) => {
  const budget = new CallBudget()
  budget.polled(budget, { living, pages })
  spend(budget, 'other', others)
  expect(budget.pollMs(policy, now)).toBe(ms)
})

test('polled accounts share the calls that are left', () => {
  const budget = new CallBudget()
  spend(budget, 'other', 580)
  budget.polled({}, { living: 0, pages: 1 })
  expect(budget.pollMs(policy, now)).toBe(10_000)
  const second = {}
  budget.polled(second, { living: 0, pages: 1 })
  expect(budget.pollMs(policy, now)).toBe(20_000)
  budget.polled(second, undefined)
  expect(budget.pollMs(policy, now)).toBe(10_000)
})

test('after a refusal no call is allowed before its time', () => {
  const budget = new CallBudget()
  budget.hold(now + 60_000)
  for (const kind of ['register', 'list', 'other'] as const) {
    expect(budget.take(kind, now)).toEqual({ reason: 'asked', until: now + 60_000 })
    expect(budget.take(kind, now + 60_000)).toBeUndefined()
  }
})

test('the same credential has the same budget', () => {
  const budgets = new CallBudgets()
  const one = budgets.of({ kind: 'access-token', token: 'a' })
  expect(budgets.of({ kind: 'access-token', token: 'a' })).toBe(one)
  expect(budgets.of({ kind: 'access-token', token: 'b' })).not.toBe(one)
})
