// The labels of costs at real latency: each job's pod gets them once, and a refusal is reported once and delays no job.
import { jsonAnswer, type Request } from '@dayfly/kit/http'
import { expect, it } from 'vitest'
import { events, openStage, podNames, pods, queue, takeJob } from './stage.ts'

/** A pod that is gone needs no label. */
it.each([
  [undefined, 0],
  [403, 1],
  [404, 0],
  [409, 1],
  [422, 1],
  [429, 1],
])('the API server answers the labels of two jobs with %s', async (status, reports) => {
  const asked: Request[] = []
  const apiFault = (request: Request) => {
    if (request.method !== 'PATCH' || !request.path.includes('/pods/')) return undefined
    asked.push(request)
    return status === undefined
      ? undefined
      : jsonAnswer(status, { kind: 'Status', status: 'Failure', code: status, message: 'no' })
  }
  const stage = await openStage({
    forgeMs: 150,
    apiMs: 150,
    apiFault,
    isLabelled: true,
  })
  queue(stage, 2)
  await stage.clock.advance(20_000)
  for (const name of podNames(stage)) await takeJob(stage, name)
  await stage.clock.advance(120_000)
  expect(new Set(asked.map(({ path }) => path)).size).toBe(2)
  expect(events(stage, 'cost-labels-failed')).toHaveLength(reports)
  expect(events(stage, 'job-started')).toHaveLength(2)
  const shown = pods(stage).map(({ metadata }) => metadata.labels?.['dayfly.dev/repository'])
  expect(shown).toEqual(Array(2).fill(status ? undefined : 'my-org.my-repo'))
})
