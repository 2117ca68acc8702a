import type { KubeObject } from '@dayfly/kubernetes/types'
import { expect, test } from 'vitest'
import { redact } from './redact.ts'

const secret = 's3cr3t-value'

test('keeps the names in a Secret and hides its data, also in a copy that kubectl stored', () => {
  const annotations = {
    'kubectl.kubernetes.io/last-applied-configuration': `{"data":{"token":"${secret}"}}`,
    note: 'x',
  }
  const image = redact({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'github', namespace: 'ci', annotations, finalizers: ['a/b'] },
    type: 'Opaque',
    data: { token: secret },
    stringData: { key: secret },
  })
  expect(image).toEqual({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'github', namespace: 'ci', annotations: { note: 'x' }, finalizers: ['a/b'] },
    type: 'Opaque',
    data: { token: '(redacted)' },
    stringData: { key: '(redacted)' },
  })
})

test.each<readonly [string, object]>([
  ['a variable', { env: [{ name: 'ACTIONS_RUNNER_INPUT_JITCONFIG', value: secret }] }],
  ['a flag and its value', { args: ['--url', 'x', '--token', secret] }],
  ['a flag with a value', { args: [`--api-key=${secret}`] }],
  [
    'a command line',
    { command: ['sh', '-c', `./config.sh --url x --token ${secret} && OAUTH_CLIENT_SECRET="${secret}" run`] },
  ],
  ['an address', { env: [{ name: 'PROXY', value: `http://user:${secret}@proxy:3128` }] }],
  ['a field', { registration: { token: secret, clientSecretPassword: secret } }],
])('hides every credential of a runner: %s', (_, container) => {
  expect(JSON.stringify(redact(pod(container)))).not.toContain(secret)
})

test('keeps everything else unchanged', () => {
  const container = {
    name: 'runner',
    image: 'ghcr.io/actions/actions-runner:2',
    env: [
      { name: 'DOCKER_HOST', value: 'tcp://localhost:2375' },
      { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'github', key: 'token' } } },
    ],
    args: ['--url', 'https://github.example/acme'],
    volumeMounts: [{ name: 'kube-api-access', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }],
  }
  const object = pod(container)
  expect(redact(object)).toEqual(object)
})

function pod(container: object): KubeObject {
  const spec = { containers: [container], imagePullSecrets: [{ name: 'registry' }], githubConfigSecret: 'github' }
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'r1', namespace: 'ci', uid: 'u' }, spec }
}
