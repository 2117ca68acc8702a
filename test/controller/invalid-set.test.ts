// A set whose spec the API server accepts and Dayfly refuses: kubectl and the page show it with its reason.
import { presentOf } from '@dayfly/controller/page/present'
import { seededRandom } from '@dayfly/kit/random'
import { createKubernetes } from '@dayfly/kubernetes/client'
import { createPodLogs } from '@dayfly/kubernetes/pod-logs'
import { defaultLimits } from '@dayfly/runner-set/model/limits'
import { expect, it } from 'vitest'
import { openStage, status } from './stage.ts'

it('is shown by kubectl and the page, and its numbers are unknown', async () => {
  const schedule = [{ timeZone: 'Mars/Base', from: '09:00', to: '10:00', min: 1 }]
  const stage = await openStage({ forgeMs: 150, apiMs: 50, spec: { scale: { max: 4, schedule } } })
  await stage.clock.advance(3_000)
  expect(status(stage)).toMatchObject({ lastReason: 'spec-invalid' })
  const { clock, transport } = stage
  const connection = { transport, clock, random: seededRandom(1) }
  const cluster = { kubernetes: createKubernetes(connection), clock }
  const present = presentOf({
    ...{ clock, cluster, logs: createPodLogs(connection), limits: defaultLimits },
    controller: () => stage.controller,
    figures: () => ({ budgets: new Map(), tickMs: undefined }),
    jobs: () => [],
  })
  const [set, ...others] = present.sets()
  expect(others).toEqual([])
  expect(set).toMatchObject({ name: 'linux', isValid: false, max: 4, demand: null, counts: null })
  expect(set?.problems).toMatchObject([{ reason: 'spec-invalid', detail: expect.stringContaining('Mars/Base') }])
})
