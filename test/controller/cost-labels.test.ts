// The labels of costs at real latency: each job's pod gets them once, and a refusal is reported once.
import type { Answer, Request } from '@dayfly/kit/http'
import { expect, it } from 'vitest'
import { events, openStage, podNames, pods, queue, takeJob } from './stage.ts'

const forbidden: Answer = {
  ...{ status: 403, headers: {} },
  body: { kind: 'json', value: { kind: 'Status', status: 'Failure', reason: 'Forbidden', code: 403, message: 'no' } },
} as unknown as Answer

it.each([
  ['allowed', undefined, 0],
  ['refused', forbidden, 1],
])('the labels of two jobs are %s', async (_, refusal, reports) => {
  const asked: Request[] = []
  const apiFault = (request: Request) => {
    if (request.method !== 'PATCH' || !request.path.includes('/pods/')) return undefined
    asked.push(request)
    return refusal
  }
  const stage = await openStage({ forgeMs: 150, apiMs: 150, apiFault, isLabelled: true })
  queue(stage, 2)
  await stage.clock.advance(20_000)
  for (const name of podNames(stage)) await takeJob(stage, name)
  await stage.clock.advance(10_000)
  expect(asked).toHaveLength(2)
  expect(events(stage, 'cost-labels-failed')).toHaveLength(reports)
  const shown = pods(stage).map(({ metadata }) => metadata.labels?.['dayfly.dev/repository'])
  expect(shown).toEqual(Array(2).fill(refusal ? undefined : expect.stringMatching(/^[a-z].*\..+$/)))
})
