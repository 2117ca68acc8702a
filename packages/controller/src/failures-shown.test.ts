// The promise that no failure stays unseen: each reason of the closed list, in each event that can carry it, reaches log, metric, Event and page.
import { History } from '@dayfly/dashboard/history/history'
import { systemStopwatch } from '@dayfly/kit/system'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import type { Kubernetes } from '@dayfly/kubernetes/kubernetes'
import type { KubeObject } from '@dayfly/kubernetes/types'
import type { JournalEvent } from '@dayfly/runner-set/model/event'
import { type FailureReason, failureInfo } from '@dayfly/runner-set/model/failure'
import { failures } from '@dayfly/runner-set/model/failure-table'
import { describe, expect, test } from 'vitest'
import { createJournal } from './journal.ts'
import { publishEvents } from './kubernetes-events.ts'
import { createLog } from './log/log.ts'
import { createMetrics } from './metrics/metrics.ts'
import { samplesOf } from './metrics/samples.fixture.ts'

const of = { namespace: 'ci', set: 'linux' }
const reasons = Object.keys(failures) as FailureReason[]
type Shape = (failure: { reason: FailureReason; message: string }) => JournalEvent

/** Every kind of journal event that carries a failure. */
const shapes: Readonly<Record<string, Shape>> = {
  'template-refused': (failure) => ({ ...of, kind: 'template-refused', hash: 'h', failure }),
  'forge-failed': (failure) => ({ ...of, kind: 'forge-failed', failure }),
  'runner-delayed': (failure) => ({ ...of, kind: 'runner-delayed', runner: 'r', since: 0, failure }),
  'runner-failed': (failure) => ({ ...of, kind: 'runner-failed', runner: 'r', failure }),
  'start-refused': (failure) => ({ ...of, kind: 'start-refused', runner: 'r', failure }),
  'cordon-failed': (failure) => ({ ...of, kind: 'cordon-failed', runner: 'r', failure }),
  'job-pod-failed': (failure) => ({ ...of, kind: 'job-pod-failed', runner: 'r', pod: 'r-workflow', failure }),
  'job-doubtful': (failure) => ({ ...of, kind: 'job-doubtful', runner: 'r', job: '1', failure }),
  'cost-labels-failed': (failure) => ({ ...of, kind: 'cost-labels-failed', failure }),
  'size-failed': (failure) => ({ ...of, kind: 'size-failed', size: 'linux-large', failure }),
  'runner-version-ends': (failure) => ({ ...of, kind: 'runner-version-ends', failure }),
  'registration-kept': (failure) => ({ ...of, kind: 'registration-kept', name: 'r', failure }),
}

/** Writes one event to a leader's journal, and returns what each reader made of it. */
async function show(event: JournalEvent) {
  const journal = createJournal(virtualClock())
  const lines: string[] = []
  const created: KubeObject[] = []
  const metrics = createMetrics('test', systemStopwatch)
  const history = new History()
  journal.subscribe((entry) => history.take(entry))
  journal.subscribe(metrics.reader)
  journal.subscribe(createLog({ level: 'info', write: (line) => lines.push(line) }))
  const create: Kubernetes['create'] = async (_, object) => {
    created.push(object)
    return { object, warnings: [] }
  }
  const kubernetes = { create } as Kubernetes
  publishEvents({ kubernetes, identity: 'me', uidOf: () => 'u', signal: new AbortController().signal }, journal)
  journal.write({ kind: 'leadership-gained', identity: 'me' })
  journal.write({ ...of, kind: 'set-added' })
  journal.write(event)
  const samples = samplesOf((await metrics.scrape(undefined)).text)
  return {
    line: JSON.parse(lines.at(-1) ?? '{}'),
    counted: samples.filter(({ name, labels }) => name.endsWith('_total') && labels['reason'] !== undefined),
    message: String(created[0]?.['message']),
    onPage: history.failures(),
  }
}

describe.each(Object.entries(shapes))('a failure in %s', (_, shape) => {
  test.each(reasons)('%s reaches log, metric, Event and page with its next step', async (reason) => {
    const { line, counted, message, onPage } = await show(shape({ reason, message: 'observed' }))
    const { next } = failureInfo(reason)
    expect(line).toMatchObject({ level: 'warn', reason, next, namespace: 'ci', set: 'linux' })
    expect(line.message).toContain('observed')
    expect(counted).toEqual([{ name: expect.any(String), labels: { ...of, reason }, value: 1 }])
    expect(message).toContain(next)
    expect(message).toContain('observed')
    expect(onPage).toMatchObject([
      { set: 'ci/linux', reason, next, count: 1, detail: expect.stringContaining('observed') },
    ])
  })
})

test('the list of events that carry a failure is complete', () => {
  type Carrier = Extract<JournalEvent, { readonly failure: unknown }>['kind']
  const carriers: Readonly<Record<Carrier, true>> = {
    'template-refused': true,
    'forge-failed': true,
    'runner-delayed': true,
    'runner-failed': true,
    'start-refused': true,
    'size-failed': true,
    'cost-labels-failed': true,
    'runner-version-ends': true,
    'registration-kept': true,
    'cordon-failed': true,
    'job-pod-failed': true,
    'job-doubtful': true,
  }
  expect(Object.keys(shapes).sort()).toEqual(Object.keys(carriers).sort())
})
