// The plan of a takeover from what is left of each runner. K13 is a case of the official cleaner (docs/reference/bitbucket.md#s5).
import { expect, test } from 'vitest'
import type { TakeoverFacts } from './gather.ts'
import { planTakeover } from './plan.ts'
import { describeTakeover } from './step.ts'

const uuid = '11111111-2222-4333-8444-555555555555'
const job = { namespace: 'ci', name: `runner-${uuid}`, uid: '1', uuid, isOver: true }
const secret = { namespace: 'ci', name: `runner-oauth-credentials-${uuid}`, uuid }
const runner = {
  id: `{${uuid}}`,
  name: 'group',
  status: 'offline',
  busy: false,
  set: undefined,
  createdAt: undefined,
} as const
const nothing: TakeoverFacts = { deployments: [], runners: [], jobs: [], secrets: { known: true, value: [] } }
const sentences = (facts: Partial<TakeoverFacts>) =>
  planTakeover({ ...nothing, ...facts }).steps.map((step) => describeTakeover(step))
const known = { known: true, value: [secret] } as const
const forbidden = { known: false, why: 'you may not list secrets in all namespaces' } as const
const retired = (parts: string) => `disable the runner group ({${uuid}}), and remove its ${parts} when it has no step`

test('K13 a runner whose Job is gone loses its Secret with its registration', () => {
  expect(sentences({ runners: [runner], secrets: known })).toEqual([
    retired(`registration and Secret ci/runner-oauth-credentials-${uuid}`),
  ])
})

test('K13 a Secret whose runner and Job are gone is removed', () => {
  expect(sentences({ secrets: known })).toEqual([
    `delete Secret ci/runner-oauth-credentials-${uuid}, whose runner and Job are gone`,
  ])
})

test('a runner with a Job loses registration, Job and Secret in one step', () => {
  expect(sentences({ runners: [runner], jobs: [job], secrets: known })).toEqual([
    retired(`registration, Job ci/runner-${uuid} and Secret ci/runner-oauth-credentials-${uuid}`),
  ])
})

test('the Secret of a Job that may still work stays', () => {
  const { steps, untouched } = planTakeover({ ...nothing, jobs: [{ ...job, isOver: false }], secrets: known })
  expect([steps, untouched.length]).toEqual([[], 1])
})

test('Secrets that may not be listed are named, and those beside a Job are removed by their names', () => {
  const plan = planTakeover({ ...nothing, jobs: [job], secrets: forbidden })
  expect(plan.steps.map((step) => describeTakeover(step))).toEqual([
    `delete Job ci/runner-${uuid}, whose runner has ended, and Secret ci/runner-oauth-credentials-${uuid}`,
  ])
  expect(plan.untouched).toEqual([{ what: 'Secrets of runners whose Job is gone', because: forbidden.why }])
})
