import type { Entry, JournalEvent } from '@dayfly/runner-set/model/event'
import { describe, expect, test } from 'vitest'
import { createLog } from './log.ts'
import type { LogLevel } from './log-line.ts'

const of = { namespace: 'ci', set: 'linux' }
const lead: JournalEvent = { kind: 'leadership-gained', identity: 'me' }
const delayed: JournalEvent = {
  ...of,
  kind: 'runner-delayed',
  runner: 'linux-1',
  since: 0,
  failure: { reason: 'image-missing', message: 'container runner: not found' },
}

/** Writes the events one second apart, and returns the lines. */
function lines(events: readonly (JournalEvent | { readonly after: number })[], level: LogLevel = 'info') {
  const written: string[] = []
  const log = createLog({ level, write: (line) => written.push(line) })
  let at = Date.UTC(2026, 0, 2, 3, 4, 5, 678)
  for (const event of events) {
    if ('after' in event) at += event.after
    else log({ at, event } satisfies Entry)
  }
  return written
}

describe('the log', () => {
  test('writes one JSON object a line, the fields that people read first', () => {
    const [, line = ''] = lines([lead, delayed])
    expect(line).not.toContain('\n')
    expect(Object.entries(JSON.parse(line))).toEqual([
      ['time', '2026-01-02T03:04:05.678Z'],
      ['level', 'warn'],
      ['message', 'The node does not have the image and cannot pull it: container runner: not found'],
      ['namespace', 'ci'],
      ['set', 'linux'],
      ['runner', 'linux-1'],
      ['reason', 'image-missing'],
      ['next', 'Check the name, tag, registry, pull secret and pull policy of the image named in the message.'],
      ['event', 'runner-delayed'],
    ])
  })

  test('hides what is less urgent than its level', () => {
    const events: JournalEvent[] = [
      lead,
      { ...of, kind: 'runner-gone', runner: 'linux-1', because: 'ended' },
      { ...of, kind: 'job-finished', runner: 'linux-1', job: '1', result: 'succeeded' },
      delayed,
      { kind: 'watch-failed', resource: 'pods', message: 'forbidden', by: 'installation' },
    ]
    const count = (level: LogLevel) => lines(events, level).length
    expect([count('error'), count('warn'), count('info'), count('debug')]).toEqual([1, 2, 4, 5])
  })

  test('says whether an operator or nobody must act on a broken watch', () => {
    const watch = (by: 'installation' | 'outage') =>
      JSON.parse(lines([{ kind: 'watch-failed', resource: 'pods', message: 'no', by }])[0] ?? '')
    expect(watch('installation')).toMatchObject({ level: 'error', reason: 'installation-broken' })
    expect(watch('outage')).toMatchObject({ level: 'warn', reason: 'api-unavailable' })
  })

  test('repeats a problem after five minutes with its count, and another problem at once', () => {
    const other: JournalEvent = { ...delayed, runner: 'linux-2' }
    const written = lines([lead, delayed, delayed, { after: 299_999 }, delayed, other, { after: 1 }, delayed])
    const shown = written.slice(1).map((line) => JSON.parse(line))
    expect(shown.map(({ runner, repeated }) => [runner, repeated])).toEqual([
      ['linux-1', undefined],
      ['linux-2', undefined],
      ['linux-1', 2],
    ])
  })

  test('never suppresses a state that changed', () => {
    const connected: JournalEvent = { ...of, kind: 'forge-connected' }
    expect(lines([lead, connected, connected])).toHaveLength(3)
  })

  test('is silent about lives while another process leads', () => {
    const lost: JournalEvent = { kind: 'leadership-lost', identity: 'me', why: 'b holds the lease', planned: false }
    const kinds = lines([{ ...of, kind: 'set-added' }, delayed, lead, lost, delayed]).map(
      (line) => JSON.parse(line).event,
    )
    expect(kinds).toEqual(['set-added', 'leadership-gained', 'leadership-lost'])
  })

  test('writes no control character and bounds the length of a text', () => {
    const message = `\u001b[31mred\u202e\u0007\n${'x'.repeat(10_000)}`
    const [, line = ''] = lines([lead, { ...delayed, failure: { reason: 'image-missing', message } }])
    expect(line).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202a-\u202e]/)
    expect(line.length).toBeLessThan(3_000)
    expect(JSON.parse(line).message).toContain('\u001b[31mred')
  })
})
