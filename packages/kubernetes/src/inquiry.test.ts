import { type Answer, jsonAnswer, type Request, textAnswer } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { virtualClock } from '@dayfly/kit/virtual-clock'
import { expect, test } from 'vitest'
import { KubernetesError } from './errors.ts'
import { type Access, createInquiry } from './inquiry.ts'

const pods = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true }
const access: Access = { verb: 'delete', resource: pods, namespace: 'ci' }

function world(answers: Readonly<Record<string, Answer>>) {
  const requests: Request[] = []
  const transport = async (request: Request): Promise<Answer> => {
    requests.push(request)
    return answers[request.path] ?? textAnswer(404, '404 page not found\n')
  }
  return { requests, inquiry: createInquiry({ transport, clock: virtualClock(), random: seededRandom(1) }) }
}

const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'

test('a review names one verb, one kind and one namespace', async () => {
  const { requests, inquiry } = world({ [reviews]: jsonAnswer(201, { status: { allowed: true } }) })
  expect(await inquiry.mayI(access)).toBe(true)
  expect(requests[0]).toMatchObject({
    method: 'POST',
    body: {
      value: {
        kind: 'SelfSubjectAccessReview',
        spec: { resourceAttributes: { verb: 'delete', group: '', resource: 'pods', namespace: 'ci' } },
      },
    },
  })
})

test('a refusal is "no", but a review that could not be decided or has no result is unknown', async () => {
  const answered = (status: object) => world({ [reviews]: jsonAnswer(201, { status }) }).inquiry.mayI(access)
  expect(await answered({ allowed: false, reason: 'RBAC: …' })).toBe(false)
  expect(await answered({ allowed: false, denied: true, evaluationError: 'x' })).toBe(false)
  await expect(answered({ allowed: false, evaluationError: 'the webhook is down' })).rejects.toThrow('webhook is down')
  await expect(answered({})).rejects.toThrow(KubernetesError)
  await expect(world({}).inquiry.mayI(access)).rejects.toMatchObject({ kind: 'not-found' })
})

const groups = {
  groups: [
    {
      name: 'karpenter.sh',
      versions: [{ version: 'v1beta1' }, { version: 'v1' }],
      preferredVersion: { version: 'v1' },
    },
  ],
}

test('versions begin with the preferred one, and an unlisted kind or group has none', async () => {
  const { inquiry } = world({
    '/apis': jsonAnswer(200, groups),
    '/apis/karpenter.sh/v1': jsonAnswer(200, { resources: [{ name: 'nodepools' }] }),
    '/apis/karpenter.sh/v1beta1': jsonAnswer(200, { resources: [{ name: 'nodepools' }, { name: 'nodeclaims' }] }),
    '/api/v1': jsonAnswer(200, { resources: [{ name: 'pods' }, { name: 'pods/log' }] }),
  })
  const versions = (group: string, plural: string) => inquiry.versionsOf({ group, plural })
  expect(await versions('karpenter.sh', 'nodepools')).toEqual(['v1', 'v1beta1'])
  expect(await versions('karpenter.sh', 'nodeclaims')).toEqual(['v1beta1'])
  expect(await versions('karpenter.sh', 'others')).toEqual([])
  expect(await versions('actions.github.com', 'ephemeralrunners')).toEqual([])
  expect(await versions('', 'pods')).toEqual(['v1'])
})

test('a 404 or an invalid answer does not mean that a kind is missing', async () => {
  const kind = { group: 'karpenter.sh', plural: 'nodepools' }
  await expect(world({}).inquiry.versionsOf(kind)).rejects.toThrow(KubernetesError)
  const proxy = world({ '/apis': textAnswer(200, '<html>') })
  await expect(proxy.inquiry.versionsOf(kind)).rejects.toThrow('without groups')
  const half = world({ '/apis': jsonAnswer(200, groups) })
  await expect(half.inquiry.versionsOf(kind)).rejects.toThrow(KubernetesError)
})
