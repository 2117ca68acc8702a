import { listAt } from '@dayfly/kit/read-json'
import { expect, it } from 'vitest'
import { buildPod } from './pod.ts'
import { runnerSet } from './world.fixture.ts'

const copied = { name: 'dayfly-externals', mountPath: '/home/runner/externals' }

function podOf(over: Parameters<typeof runnerSet>[0]) {
  const { spec } = buildPod(runnerSet(over), 'a', '1')
  const init = listAt(spec, 'initContainers')
  const named = (name: string) => init.find((one) => (one as { readonly name: string }).name === name)
  return { spec, copy: named('dayfly-externals'), engine: named('docker') }
}

it('copies the programs of the runner’s image to the engine’s container, at the same path', () => {
  const { spec, copy, engine } = podOf({ docker: 'sidecar' })
  expect(copy).toMatchObject({ image: 'ghcr.io/actions/actions-runner:latest', volumeMounts: [{ name: copied.name }] })
  expect(listAt(copy, 'command').slice(-2)).toEqual([copied.mountPath, '/dayfly-externals'])
  expect(engine).toMatchObject({ volumeMounts: expect.arrayContaining([copied]) })
  expect(spec['volumes']).toContainEqual({ name: 'dayfly-externals', emptyDir: {} })
})

it('takes the image of the runner from the template, and the image of the copy if the template has one', () => {
  const runner = { name: 'runner', image: 'registry.example/runner:1', imagePullPolicy: 'Never' }
  const own = { name: 'dayfly-externals', image: 'registry.example/programs:1' }
  const template = { spec: { containers: [runner] } }
  expect(podOf({ docker: 'sidecar', template }).copy).toMatchObject({ image: runner.image, imagePullPolicy: 'Never' })
  const both = { spec: { containers: [runner], initContainers: [own] } }
  expect(podOf({ docker: 'sidecar', template: both }).copy).toMatchObject({ image: own.image })
})

it('copies nothing without an engine, and nothing for a forge whose jobs mount no programs', () => {
  const bitbucket = { ...runnerSet().source, kind: 'bitbucket' } as const
  for (const over of [{}, { docker: 'sidecar', source: bitbucket }] as const)
    expect(JSON.stringify(podOf(over).spec)).not.toContain('externals')
})
