// A log that grows while a client reads it.
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@dayfly/kit/system'
import { expect, test } from 'vitest'
import { openLog } from './log-file.ts'
import { wholeLog } from './process-helpers.fixture.ts'

test('a reader that does not follow gets no line that is written after its request', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dayfly-log-'))
  const path = join(folder, 'log')
  writeFileSync(path, 'one\ntwo\n')
  const log = openLog({ path, times: undefined, startedAt: 0 }, systemClock())
  const lines = log.read({ ...wholeLog, tailLines: 1 }, new AbortController().signal)[Symbol.asyncIterator]()
  expect(await lines.next()).toEqual({ done: false, value: 'two\n' })
  appendFileSync(path, 'three\n')
  expect((await lines.next()).done).toBe(true)
  log.end()
  rmSync(folder, { recursive: true })
})
