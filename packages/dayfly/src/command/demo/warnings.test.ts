import type { JournalEvent } from '@dayfly/runner-set/model/event'
import { expect, test } from 'vitest'
import { warningOf } from './warnings.ts'

const of = { namespace: 'ci', set: 'linux' }
const failure = { reason: 'image-missing', message: 'example/gone:1: not found' } as const

test.each<[JournalEvent, RegExp]>([
  [
    { ...of, kind: 'template-refused', hash: 'h', failure },
    /^warning ci\/linux: image-missing: .* example\/gone:1: not found next: /,
  ],
  [{ ...of, kind: 'forge-failed', failure: { reason: 'forge-unreachable', message: 'reset' } }, /forge-unreachable/],
  [{ ...of, kind: 'start-refused', runner: 'r', failure }, /^warning ci\/linux runner r: image-missing/],
  [{ ...of, kind: 'runner-failed', runner: 'r', failure }, /^warning ci\/linux runner r: /],
  [
    { ...of, kind: 'set-invalid', problems: ['spec.scale: max is missing'] },
    /spec-invalid: spec\.scale: max is missing/,
  ],
  [{ ...of, kind: 'write-failed', action: 'report', message: 'conflict' }, /report failed: conflict/],
])('%j becomes a warning with its reason and next step', (event, text) => {
  expect(warningOf({ at: 0, event })).toMatch(text)
})

test('a warning is one line without control characters', () => {
  const failure = { reason: 'image-missing', message: 'first\nsecond \x1b[2J\u202e' } as const
  const warning = warningOf({ at: 0, event: { ...of, kind: 'start-refused', runner: 'r', failure } })
  expect(warning).toContain('first second \ufffd[2J\ufffd')
})

test('a success is no warning', () => {
  expect(warningOf({ at: 0, event: { ...of, kind: 'forge-connected' } })).toBeUndefined()
})
