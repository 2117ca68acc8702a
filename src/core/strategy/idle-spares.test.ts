import { expect, test } from 'vitest'
import { idleSpares } from './idle-spares.ts'
import type { ListedRunner } from './strategy.ts'

const now = 10_000_000
const base: ListedRunner = { id: '', isOwn: true, status: 'ONLINE', step: 'absent', createdAt: now - 600_000 }
const kinds: Readonly<Record<string, Partial<ListedRunner>>> = {
  b: { step: 'present' },
  /** A cordoned busy one, and an offline busy one. */
  c: { step: 'present', status: 'DISABLED' },
  p: { step: 'present', status: 'OFFLINE' },
  i: {},
  n: { step: 'null' },
  y: { createdAt: now - 100_000 },
  u: { status: 'UNREGISTERED' },
  o: { status: 'OFFLINE' },
  d: { status: 'DISABLED' },
  f: { isOwn: false },
}

function runnersOf(text: string): readonly ListedRunner[] {
  return text.split('').map((kind, index) => ({ ...base, ...kinds[kind], id: `${kind}${index}` }))
}

test.each([
  ['', 2, 10, 2, [], 'from-zero'],
  ['', 0, 10, 0, [], 'steady'],
  ['uu', 2, 10, 0, [], 'steady'],
  ['ii', 2, 10, 0, [], 'steady'],
  ['bi', 2, 10, 1, [], 'up'],
  ['cn', 2, 10, 1, [], 'up'],
  ['pii', 2, 10, 0, [], 'steady'],
  ['bbb', 2, 4, 1, [], 'up'],
  ['bbbb', 2, 4, 0, [], 'max-reached'],
  ['bbbbb', 2, 4, 0, [], 'max-reached'],
  ['bu', 2, 10, 1, [], 'up'],
  ['od', 2, 10, 2, [], 'from-zero'],
  ['iiii', 2, 10, 0, ['i0', 'i1'], 'down'],
  ['yyii', 2, 10, 0, ['i2', 'i3'], 'down'],
  ['yyyi', 2, 10, 0, ['i3'], 'down'],
  ['yyyy', 2, 10, 0, [], 'cooling-down'],
  ['iiu', 2, 10, 0, ['i0'], 'down'],
  ['fffff', 2, 10, 2, [], 'from-zero'],
  ['f'.repeat(99), 2, 10, 1, [], 'limited'],
] as const)('%s with min %i and max %i: +%i, cordons %o', (runners, min, max, creates, cordons, reason) => {
  const decision = idleSpares(runnersOf(runners), { min, max, coolDownMs: 300_000 }, now)
  expect(decision).toEqual({ creates, cordons, reason })
})
