import { ofNamespaces } from '@dayfly/dashboard/server/scope'
import { runnerSet } from '@dayfly/runner-set/core/world.fixture'
import { expect, test } from 'vitest'
import type { ControllerState } from '../controller.ts'
import { healthLines } from './health.ts'

test('a viewer of one namespace learns neither the failing sets nor the accounts of another', () => {
  const sets = ['ci', 'ml'].map((namespace) => ({
    ...{
      set: { ...runnerSet(), namespace, source: { ...runnerSet().source, url: `https://${namespace}.example/org` } },
    },
    ...{ counts: undefined, demand: undefined, conditions: [], connected: false },
    forgeFailure: { reason: 'forge-unavailable' as const, message: `the proxy of ${namespace}` },
  }))
  const election = { state: { is: 'leading' as const, since: 0 }, turnedAt: 0, failure: undefined }
  const state = { election, watches: [], sets, invalid: [] } as unknown as ControllerState
  const budgets = new Map([
    ['https://ci.example/org', 4_000],
    ['https://ml.example/org App 7', 3_000],
  ])
  const lines = healthLines({ state, figures: { budgets, tickMs: 1 }, now: 0 }, ofNamespaces(['ci']))
  const text = JSON.stringify(lines)
  expect(text).toContain('the proxy of ci')
  expect(text).toContain('https://ci.example/org: 4000 requests left')
  expect(text).not.toContain('ml')
})
