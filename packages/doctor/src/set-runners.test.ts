import { runnerPrefix } from '@dayfly/runner-set/model/runner-names'
import { expect, test } from 'vitest'
import type { ObjectFact, RegistrationFact } from './facts.ts'
import { setRunners } from './set-runners.ts'

const uid = '11111111-2222-4333-8444-555555555555'

function registration(name: string): RegistrationFact {
  return { id: name, name, status: 'offline', busy: false, set: undefined, createdAt: 0 }
}

function fact(kind: string, name: string, raw: object = {}): ObjectFact {
  return { object: { apiVersion: '', kind, namespace: 'ci', name, uid }, document: undefined, raw: { kind, ...raw } }
}

const runnerSet = (forge: string) => fact('RunnerSet', 'linux', { spec: { [forge]: { url: 'https://forge.example' } } })

test.each(['bitbucket', 'gitea'] as const)('finds the set of a runner at %s, and whether its pod is there', (forge) => {
  const prefix = runnerPrefix({ name: 'linux', uid })
  const [gone, there, other] = [`${prefix}gone`, `${prefix}there`, 'linux-00000-x'].map(registration)
  if (!gone || !there || !other) throw new Error('three runners')
  expect(setRunners([gone, there, other], [runnerSet(forge), fact('Pod', there.name)])).toEqual([
    { registration: gone, forge, owner: 'RunnerSet ci/linux', isThere: false },
    { registration: there, forge, owner: 'RunnerSet ci/linux', isThere: true },
  ])
})

test('a set of GitHub has its own record there, so the names of its runners decide nothing', () => {
  const made = registration(`${runnerPrefix({ name: 'linux', uid })}gone`)
  expect(setRunners([made], [runnerSet('github')])).toEqual([])
})
