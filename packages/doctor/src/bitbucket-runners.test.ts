import { runnerPrefix } from '@dayfly/runner-set/model/runner-names'
import { expect, test } from 'vitest'
import { ownRunners, shownName } from './bitbucket-runners.ts'
import type { ObjectFact, RegistrationFact } from './facts.ts'

const uid = '11111111-2222-4333-8444-555555555555'

function registration(id: string, name: string, labels: readonly string[] = []): RegistrationFact {
  return { id: `{${id}}`, name, status: 'offline', busy: false, labels, set: undefined, createdAt: 0 }
}

function fact(kind: string, name: string, raw: object = {}): ObjectFact {
  return { object: { apiVersion: '', kind, namespace: 'ci', name, uid }, document: undefined, raw: { kind, ...raw } }
}

test("finds the set of a runner, and whether its pod is there; a set of GitHub's has none at Bitbucket", () => {
  const [gone, there] = ['gone', 'there'].map((end) =>
    registration(end, `${runnerPrefix({ name: 'linux', uid })}${end}`),
  )
  if (!gone || !there) throw new Error('two runners')
  const objects = [
    fact('RunnerSet', 'linux', { spec: { bitbucket: { url: 'https://bitbucket.org/acme' } } }),
    fact('Pod', there.name),
  ]
  const own = ownRunners([gone, there, registration('other', 'linux-00000-x')], objects)
  expect(own).toEqual([
    { registration: gone, owner: 'RunnerSet ci/linux', isThere: false },
    { registration: there, owner: 'RunnerSet ci/linux', isThere: true },
  ])
  expect(ownRunners([gone], [fact('RunnerSet', 'linux', { spec: { github: {} } })])).toEqual([])
})

test('shows a runner of the autoscaler by its Job, because a whole group has one name', () => {
  expect(shownName(registration('a', 'group', ['autoscaler.created']))).toBe('runner-a')
  expect(shownName(registration('a', 'linux-1'))).toBe('linux-1')
})

test('a pod without its Job is a runner of the autoscaler, too', () => {
  const made = registration('a', 'group', ['autoscaler.created'])
  const objects = [
    fact('Secret', 'runner-oauth-credentials-a'),
    fact('Pod', 'x', { metadata: { labels: { runner_uuid: 'a' } } }),
  ]
  expect(ownRunners([made], objects)).toMatchObject([{ isThere: true }])
})
