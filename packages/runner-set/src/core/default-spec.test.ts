import { expect, it } from 'vitest'
import { Credential } from '../model/credential.ts'
import { buildPod, buildSecret } from './pod.ts'
import { runnerSet } from './world.fixture.ts'

const bitbucket = runnerSet({ source: { ...runnerSet().source, kind: 'bitbucket', runnerGroup: undefined } })
type Container = {
  readonly name: string
  readonly env: readonly { readonly name: string; readonly valueFrom?: { readonly secretKeyRef: object } }[]
  readonly volumeMounts: readonly object[]
}
const containersOf = (set = bitbucket) => buildPod(set, 'linux-1', '7').spec['containers'] as readonly Container[]

it('gives a runner of GitHub its credential as a file, and a command that reads it', () => {
  const { spec } = buildPod(runnerSet(), 'linux-1', '7')
  const [runner] = spec['containers'] as readonly (Container & { readonly command: readonly string[] })[]
  expect(runner?.command.at(-1)).toContain('/run/dayfly/credential')
  expect(runner?.volumeMounts).toEqual([{ name: 'dayfly-credential', mountPath: '/run/dayfly', readOnly: true }])
  expect(spec['volumes']).toEqual([
    { name: 'dayfly-credential', secret: { secretName: 'linux-1', defaultMode: 0o444 } },
  ])
})

it('starts the runner of Bitbucket by the command of its image, and mounts no credential', () => {
  const { spec } = buildPod(bitbucket, 'linux-1', '7')
  expect(containersOf()[0]).not.toHaveProperty('command')
  expect(spec['volumes']).toEqual([{ name: 'dayfly-work', emptyDir: {} }])
})

it('gives a runner of Bitbucket its credential from the keys of its own Secret', () => {
  const [runner] = containersOf()
  const keys = runner?.env.flatMap(({ name, valueFrom }) => (valueFrom ? [[name, valueFrom.secretKeyRef]] : []))
  expect(keys).toEqual([
    ['ACCOUNT_UUID', { name: 'linux-1', key: 'ACCOUNT_UUID' }],
    ['REPOSITORY_UUID', { name: 'linux-1', key: 'REPOSITORY_UUID', optional: true }],
    ['RUNNER_UUID', { name: 'linux-1', key: 'RUNNER_UUID' }],
    ['OAUTH_CLIENT_ID', { name: 'linux-1', key: 'OAUTH_CLIENT_ID' }],
    ['OAUTH_CLIENT_SECRET', { name: 'linux-1', key: 'OAUTH_CLIENT_SECRET' }],
  ])
})

it('has no value of a credential in the pod, and every entry in the Secret', () => {
  const entries = { RUNNER_UUID: '{uuid}', OAUTH_CLIENT_SECRET: 'hidden' }
  expect(JSON.stringify(buildPod(bitbucket, 'linux-1', '7'))).not.toContain('hidden')
  const secret = buildSecret(bitbucket, 'linux-1', 'uid', new Credential(entries).reveal())
  expect(secret).toMatchObject({ immutable: true, stringData: entries })
})

it('lets a runner of Bitbucket read the output of the containers that its Docker Engine runs', () => {
  const [runner] = containersOf({ ...bitbucket, docker: 'sidecar' })
  expect(runner?.volumeMounts).toContainEqual(
    expect.objectContaining({ mountPath: '/var/lib/docker/containers', subPath: 'containers', readOnly: true }),
  )
  expect(runner?.env).toContainEqual({ name: 'WORKING_DIRECTORY', value: '/home/runner/_work' })
})

it('mounts the work folder once, with and without a Docker Engine', () => {
  for (const docker of ['none', 'sidecar'] as const) {
    const set = { ...bitbucket, docker }
    const { spec } = buildPod(set, 'linux-1', '7')
    const names = (spec['volumes'] as readonly { readonly name: string }[]).map(({ name }) => name)
    expect(names.filter((name) => name === 'dayfly-work')).toHaveLength(1)
    const paths = containersOf(set)[0]?.volumeMounts.map((mount) => (mount as { mountPath: string }).mountPath)
    expect(new Set(paths).size).toBe(paths?.length)
  }
})

it.each([
  [{}, { 'karpenter.sh/do-not-disrupt': 'true', 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' }],
  [
    { 'karpenter.sh/do-not-disrupt': 'false', team: 'a' },
    { 'karpenter.sh/do-not-disrupt': 'false', 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false', team: 'a' },
  ],
])('asks node autoscalers to leave its node alone, unless the template says otherwise: %j', (annotations, expected) => {
  const { metadata } = buildPod(runnerSet({ template: { metadata: { annotations } } }), 'linux-1', '7')
  const own = { 'dayfly.dev/registration-id': '7', 'dayfly.dev/template': expect.stringMatching(/^[0-9a-f]{10}$/) }
  expect(metadata.annotations).toEqual({ ...expected, ...own })
})
