import { expect, test } from 'vitest'
import { autoscalerRunners, shownName } from './bitbucket-runners.ts'
import type { ObjectFact, RegistrationFact } from './facts.ts'

const uid = '11111111-2222-4333-8444-555555555555'

function registration(id: string, name: string, labels: readonly string[] = []): RegistrationFact {
  return { id: `{${id}}`, name, status: 'offline', busy: false, labels, set: undefined, createdAt: 0 }
}

function fact(kind: string, name: string, raw: object = {}): ObjectFact {
  return { object: { apiVersion: '', kind, namespace: 'ci', name, uid }, document: undefined, raw: { kind, ...raw } }
}

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
  expect(autoscalerRunners([made], objects)).toMatchObject([{ isThere: true }])
})
