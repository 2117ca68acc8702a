import { expect, it } from 'vitest'
import { firstDifference } from './difference.ts'

const image = (name: string) => ({ containers: [{ name: 'a', image: name }] })

it.each<[string, unknown, unknown, string | undefined]>([
  ['the same', { a: 1, b: ['x'] }, { a: 1, b: ['x'] }, undefined],
  ['fields that were added', { a: 1 }, { a: 1, more: true }, undefined],
  [
    'a field that was dropped',
    { initContainers: [{ name: 'd', restartPolicy: 'Always' }] },
    { initContainers: [{ name: 'd' }] },
    '.initContainers[0].restartPolicy',
  ],
  [
    'a container that was put before',
    { containers: [{ name: 'a', image: 'x' }] },
    { containers: [{ name: 'proxy' }, { name: 'a', image: 'x' }] },
    undefined,
  ],
  ['a field that was changed', { hostPID: true }, { hostPID: false }, '.hostPID'],
  ['empty values that were left out', { env: [], hostPID: false, x: '', y: null, z: undefined }, {}, undefined],
  ['empty entries of a list', { a: [null, 1] }, { a: [null, 1] }, undefined],
  ['a null that became a number', { a: [null, 1] }, { a: [2, 1] }, '.a[0]'],
  [
    'a variable that was changed and moved',
    { env: [{ name: 'A', value: '1' }] },
    { env: [{ name: 'B' }, { name: 'A', value: '2' }] },
    '.env[0].value',
  ],
  ['an object that became a text', { a: { b: 1 } }, { a: 'b' }, '.a'],
  ['an object that became null', { a: { b: 1 } }, { a: null }, '.a'],
  [
    'quantities that were written in another way',
    { resources: { limits: { cpu: '0.5' } } },
    { resources: { limits: { cpu: '500m' } } },
    undefined,
  ],
  [
    'a quantity of a resource with dots in its name',
    { resources: { limits: { 'nvidia.com/gpu': 1 } } },
    { resources: { limits: { 'nvidia.com/gpu': '1' } } },
    undefined,
  ],
  [
    'an image from a mirror',
    image('ghcr.io/a/runner:1'),
    image('mirror.example:5000/ghcr/a/runner:1@sha256:00'),
    undefined,
  ],
  ['another image', image('ghcr.io/a/runner:1'), image('ghcr.io/a/runner:2'), '.containers[0].image'],
  ['an image that became a number', image('a:1'), { containers: [{ name: 'a', image: 1 }] }, '.containers[0].image'],
  [
    'two mounts of one volume, behind a mount that was added',
    {
      volumeMounts: [
        { name: 'v', mountPath: '/a' },
        { name: 'v', mountPath: '/b' },
      ],
    },
    {
      volumeMounts: [
        { name: 'token', mountPath: '/t' },
        { name: 'v', mountPath: '/a' },
        { name: 'v', mountPath: '/b' },
      ],
    },
    undefined,
  ],
  [
    'a toleration behind another one',
    { tolerations: [{ key: 'ci', operator: 'Exists' }] },
    { tolerations: [{ key: 'pool' }, { key: 'ci', operator: 'Exists', effect: 'NoSchedule' }] },
    undefined,
  ],
  [
    'a toleration that was dropped',
    { tolerations: [{ key: 'ci' }] },
    { tolerations: [{ key: 'x' }] },
    '.tolerations[0].key',
  ],
  ['a word that was added to a command', { command: ['a'] }, { command: ['a', '--more'] }, '.command'],
  ['words in another order', { args: ['a', 'b'] }, { args: ['b', 'a'] }, '.args[0]'],
  ['a capability that was added', { add: ['A'] }, { add: ['B', 'A'] }, undefined],
  [
    'all that Istio, a LimitRange and admission add',
    {
      containers: [{ name: 'runner', env: [{ name: 'A', value: '1' }], resources: {} }],
      automountServiceAccountToken: false,
    },
    {
      initContainers: [{ name: 'istio-init', image: 'proxyv2' }],
      containers: [
        { name: 'istio-proxy', restartPolicy: 'Always' },
        {
          name: 'runner',
          env: [{ name: 'INJECTED' }, { name: 'A', value: '1' }],
          resources: { limits: { cpu: '500m' }, requests: { cpu: '100m' } },
          terminationMessagePath: '/dev/termination-log',
        },
      ],
      volumes: [{ name: 'istio-token' }],
      automountServiceAccountToken: false,
      ...{
        serviceAccountName: 'default',
        priority: 0,
        preemptionPolicy: 'PreemptLowerPriority',
        schedulerName: 'default',
      },
      tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists' }],
    },
    undefined,
  ],
  [
    'a token that was mounted against the template',
    { automountServiceAccountToken: false },
    { automountServiceAccountToken: true },
    '.automountServiceAccountToken',
  ],
  [
    'a privilege that was taken away',
    { securityContext: { privileged: true } },
    { securityContext: {} },
    '.securityContext.privileged',
  ],
])('finds what the API server dropped or changed: %s', (_name, sent, stored, path) => {
  expect(firstDifference(sent, stored)).toBe(path)
})
