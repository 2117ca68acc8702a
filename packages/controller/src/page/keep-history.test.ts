import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { History } from '@dayfly/dashboard/history/history'
import { systemClock } from '@dayfly/kit/system'
import type { JournalEvent } from '@dayfly/runner-set/model/event'
import { expect, onTestFinished, test } from 'vitest'
import { createJournal } from '../journal.ts'
import { keepHistory } from './keep-history.ts'

test('a term that begins at the end of the last one gets the folder', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'dayfly-keep-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const clock = systemClock()
  const journal = createJournal(clock)
  const failures: JournalEvent[] = []
  journal.subscribe(({ event }) => void (event.kind === 'history-failed' && failures.push(event)))
  const histories: History[] = []
  const fresh = () => {
    histories.push(new History())
    return histories.at(-1) as History
  }
  const stop = keepHistory({ folder, days: 1, megabytes: 1 }, { fresh, journal, clock })
  for (const _ of [1, 2, 3]) {
    journal.write({ kind: 'leadership-gained', identity: 'me' })
    journal.write({ kind: 'leadership-lost', identity: 'me', why: 'a test', planned: false })
  }
  journal.write({ kind: 'leadership-gained', identity: 'me' })
  await stop()
  expect(failures).toEqual([])
  expect(histories).toHaveLength(4)
  expect(readdirSync(folder)).toContain('sums.json')
  expect(readdirSync(folder)).not.toContain('lock.json')
})
