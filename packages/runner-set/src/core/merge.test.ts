import { expect, it } from 'vitest'
import { mergeTemplate } from './merge.ts'

const base = {
  automountServiceAccountToken: false,
  containers: [
    {
      name: 'runner',
      image: 'default',
      command: ['sh'],
      volumeMounts: [{ name: 'credential', mountPath: '/run/dayfly' }],
    },
  ],
  volumes: [{ name: 'credential', secret: { secretName: 'x' } }],
}

it('merges containers, mounts and volumes by their names and puts the user’s first', () => {
  const merged = mergeTemplate(base, {
    containers: [
      { name: 'helper', image: 'h' },
      { name: 'runner', image: 'mine', volumeMounts: [{ name: 'cache', mountPath: '/cache' }] },
    ],
    volumes: [{ name: 'cache', emptyDir: {} }],
  })
  expect(merged).toEqual({
    automountServiceAccountToken: false,
    containers: [
      { name: 'helper', image: 'h' },
      {
        name: 'runner',
        image: 'mine',
        command: ['sh'],
        volumeMounts: [
          { name: 'cache', mountPath: '/cache' },
          { name: 'credential', mountPath: '/run/dayfly' },
        ],
      },
    ],
    volumes: [
      { name: 'cache', emptyDir: {} },
      { name: 'credential', secret: { secretName: 'x' } },
    ],
  })
})

it('replaces a list that has other entries than named ones', () => {
  const tolerations = [{ key: 'a' }, 'b']
  expect(mergeTemplate({ tolerations: [{ key: 'c' }] }, { tolerations })).toEqual({ tolerations })
})

it('replaces what has no name, and what the user changes', () => {
  expect(
    mergeTemplate(base, { containers: [{ name: 'runner', command: ['mine'] }], nodeSelector: { a: 'b' } }),
  ).toMatchObject({ containers: [{ image: 'default', command: ['mine'] }], nodeSelector: { a: 'b' } })
})

it('replaces the source of a variable or a volume, and merges two of one kind', () => {
  const own = {
    env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }],
    volumes: [
      { name: 'data', emptyDir: { sizeLimit: '20Gi' } },
      { name: 'work', emptyDir: { medium: 'Memory' } },
    ],
  }
  const over = {
    env: [{ name: 'A', value: 'mine' }],
    volumes: [
      { name: 'data', ephemeral: {} },
      { name: 'work', emptyDir: { sizeLimit: '1Gi' } },
    ],
  }
  expect(mergeTemplate(own, over)).toEqual({
    env: [{ name: 'A', value: 'mine' }],
    volumes: [
      { name: 'data', ephemeral: {} },
      { name: 'work', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } },
    ],
  })
})
