import { expect, it } from 'vitest'
import { defaultJobPods, type RunnerSet } from '../model/runner-set.ts'
import { buildPod, templateHash } from './pod.ts'
import { runnerSet } from './world.fixture.ts'

type Container = { readonly env: readonly { readonly name: string; readonly value?: string }[] } & Readonly<
  Record<string, unknown>
>

function podOf(over: Partial<RunnerSet> = {}) {
  const { spec } = buildPod(runnerSet({ jobs: 'pods', ...over }), 'linux-1', '7')
  const [container] = spec['containers'] as readonly Container[]
  const env = Object.fromEntries((container?.env ?? []).map(({ name, ...rest }) => [name, rest.value ?? rest]))
  return { spec, container, env }
}

it('lets the runner make pods, and gives the hooks its name and its image', () => {
  const { spec, env } = podOf()
  expect(spec).toMatchObject({ serviceAccountName: 'dayfly-job-pods', automountServiceAccountToken: true })
  expect(env).toMatchObject({
    ACTIONS_RUNNER_CONTAINER_HOOKS: '/home/runner/k8s-novolume/index.js',
    ACTIONS_RUNNER_POD_NAME: { valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    ACTIONS_RUNNER_REQUIRE_JOB_CONTAINER: 'true',
    ACTIONS_RUNNER_IMAGE: 'ghcr.io/actions/actions-runner:latest',
  })
  expect(JSON.stringify(spec['volumes'])).not.toContain('ephemeral')
})

it('gives the hooks the image of a template, unless the template names another one', () => {
  const template = (env: readonly object[]) => ({
    spec: { containers: [{ name: 'runner', image: 'mirror/runner', env }] },
  })
  expect(podOf({ template: template([]) }).env['ACTIONS_RUNNER_IMAGE']).toBe('mirror/runner')
  const own = [{ name: 'ACTIONS_RUNNER_IMAGE', value: 'other' }]
  expect(podOf({ template: template(own) }).env['ACTIONS_RUNNER_IMAGE']).toBe('other')
})

it('shares a claim with the pod of the job if the set asks for one', () => {
  const work = { size: '10Gi', storageClass: 'fast', accessMode: 'ReadWriteMany' }
  const { spec, env, container } = podOf({ jobPods: { ...defaultJobPods, work } })
  const claim = {
    accessModes: ['ReadWriteMany'],
    storageClassName: 'fast',
    resources: { requests: { storage: '10Gi' } },
  }
  expect(env['ACTIONS_RUNNER_CONTAINER_HOOKS']).toBe('/home/runner/k8s/index.js')
  expect(spec['volumes']).toContainEqual({ name: 'work', ephemeral: { volumeClaimTemplate: { spec: claim } } })
  expect(container?.['volumeMounts']).toContainEqual({ name: 'work', mountPath: '/home/runner/_work' })
  expect(spec['securityContext']).toEqual({ fsGroup: 1001 })
})

it('mounts the template of the pods of jobs', () => {
  const template = { configMap: 'job-pods', key: 'small.yaml' }
  const { spec, env, container } = podOf({ jobPods: { ...defaultJobPods, template } })
  const mount = { name: 'dayfly-job-template', mountPath: '/run/dayfly-job-template', readOnly: true }
  expect(container?.['volumeMounts']).toContainEqual(mount)
  expect(podOf().container?.['volumeMounts']).not.toContainEqual(mount)
  expect(env['ACTIONS_RUNNER_CONTAINER_HOOK_TEMPLATE']).toBe('/run/dayfly-job-template/small.yaml')
  expect(spec['volumes']).toContainEqual({ name: 'dayfly-job-template', configMap: { name: 'job-pods' } })
})

it('changes nothing for a set whose jobs run on the runner', () => {
  const { spec } = buildPod(runnerSet(), 'linux-1', '7')
  expect(JSON.stringify(spec)).not.toMatch(/HOOKS|serviceAccountName|ACTIONS_RUNNER_IMAGE/)
  expect(templateHash(runnerSet())).not.toBe(templateHash(runnerSet({ jobs: 'pods' })))
})
