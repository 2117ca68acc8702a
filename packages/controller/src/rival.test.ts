import { runnerSet } from '@dayfly/runner-set/core/world.fixture'
import type { RunnerSet } from '@dayfly/runner-set/model/runner-set'
import { expect, it } from 'vitest'
import { rivalOf } from './rival.ts'

const set = runnerSet()
const from = (source: object) => ({ source: { ...set.source, ...source } as RunnerSet['source'] })

it.each<[string, Partial<RunnerSet>, boolean]>([
  ['the same name in another namespace', { namespace: 'team-b' }, true],
  ['the same name in other letters', { name: 'LINUX' }, true],
  ['the same account in other letters', from({ url: 'https://GitHub.com/Acme/' }), true],
  ['the default group by its name', from({ runnerGroup: 'Default' }), true],
  ['another name', { name: 'linux-large' }, false],
  ['another runner group', from({ runnerGroup: 'gpu' }), false],
  ['a repository of the account', from({ url: 'https://github.com/acme/app' }), false],
  ['another forge', from({ kind: 'bitbucket' }), false],
])('a set with %s is a rival: %s', (_what, over, isRival) => {
  const other = runnerSet({ uid: 'other', ...over })
  expect(rivalOf(set, [set, other])).toBe(isRival ? other : undefined)
})
