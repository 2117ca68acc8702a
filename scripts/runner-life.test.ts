// Compares the table of start failures in docs/runner-life.md with the table that the core reads.
import { readFileSync } from 'node:fs'
import { type FailureReason, failureInfo } from '@dayfly/runner-set/model/failure'
import { failures } from '@dayfly/runner-set/model/failure-table'
import { expect, test } from 'vitest'

/** Times that the table of failures does not hold. */
const ownTimes: Partial<Record<FailureReason, string>> = {
  'never-online': '2 min after the container started',
  'start-under-way': 'not for this reason: the step has a time of its own',
  'image-slow': 'when the pull has taken `startMax` of the set (10 min)',
  'init-hangs': 'when the container has run for `startMax` of the set (10 min)',
  'sidecar-not-ready': "when the probe's own time is over",
}

/** Returns a deadline as the page says it. */
function deadlineOf(reason: FailureReason): string {
  const { deadline } = failureInfo(reason)
  const own = ownTimes[reason]
  if (own) return own
  if (!deadline) return 'at once'
  if (deadline.ms === 0) return 'at once'
  const time = deadline.ms < 60_000 ? `${deadline.ms / 1_000} s` : `${deadline.ms / 60_000} min`
  return `${time} after ${deadline.from === 'cause' ? 'the first evidence' : 'the last step of the start'}`
}

test('docs/runner-life.md has every start failure with its deadline', () => {
  const reasons = (Object.keys(failures) as FailureReason[]).filter((reason) => failureInfo(reason).class === 'start')
  const rows = reasons.map((reason) => `| \`${reason}\` | ${failureInfo(reason).sentence} | ${deadlineOf(reason)} |`)
  const page = readFileSync(new URL('../docs/runner-life.md', import.meta.url), 'utf8')
  expect(page).toContain(['| Reason | Meaning | The runner is ended |', '|---|---|---|', ...rows, ''].join('\n'))
})
