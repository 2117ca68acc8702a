import { expect, it } from 'vitest'
import { firstDifference } from './difference.ts'
import { hazardOf } from './template-rules.ts'

const runner = { name: 'runner', image: 'r' }

it.each([
  ['no container named runner', { containers: [{ name: 'main' }] }, 'template-invalid'],
  [
    'a Docker daemon as a plain init container',
    { initContainers: [{ name: 'dind', image: 'docker:27-dind' }], containers: [runner] },
    'template-hangs',
  ],
  [
    'the same by its command',
    { initContainers: [{ name: 'd', image: 'x', args: ['dockerd'] }], containers: [runner] },
    'template-hangs',
  ],
  [
    'with restartPolicy OnFailure',
    { initContainers: [{ name: 'dind', image: 'docker:dind', restartPolicy: 'OnFailure' }], containers: [runner] },
    'template-hangs',
  ],
  [
    'as a native sidecar',
    { initContainers: [{ name: 'dind', image: 'docker:dind', restartPolicy: 'Always' }], containers: [runner] },
    undefined,
  ],
  [
    'a hook in a shared PID namespace',
    { shareProcessNamespace: true, containers: [{ ...runner, lifecycle: { postStart: { exec: {} } } }] },
    'template-hangs',
  ],
  [
    'a hook in a namespace of its own',
    { containers: [{ ...runner, lifecycle: { postStart: { exec: {} } } }] },
    undefined,
  ],
  [
    'the same by a word of its command',
    { initContainers: [{ name: 'd', command: ['sh', '-c'], args: ['exec dockerd'] }], containers: [runner] },
    'template-hangs',
  ],
  [
    'another init container',
    { initContainers: [{ name: 'i', image: 'busybox', command: ['true'] }], containers: [runner] },
    undefined,
  ],
  ['a plain runner', { containers: [runner] }, undefined],
  ['a runner with a helper', { containers: [{ name: 'helper' }, runner] }, undefined],
])('%s', (_name, spec, reason) => {
  expect(hazardOf(spec)?.reason).toBe(reason)
})

it.each([
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
  ['an object that became a text', { a: { b: 1 } }, { a: 'b' }, '.a'],
  ['an object that became null', { a: { b: 1 } }, { a: null }, '.a'],
  [
    'quantities that were written in another way',
    { resources: { limits: { cpu: '0.5' } } },
    { resources: { limits: { cpu: '500m' } } },
    undefined,
  ],
])('finds what the API server dropped or changed: %s', (_name, sent, stored, path) => {
  expect(firstDifference(sent, stored)).toBe(path)
})
