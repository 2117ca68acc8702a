import { expect, it } from 'vitest'
import type { RunnerSet } from '../model/runner-set.ts'
import { afterRefusal, refusedTemplate, templateVerdict, trialPod } from './template.ts'
import { now, runnerSet } from './world.fixture.ts'

const zombie = { spec: { containers: [{ name: 'docker', image: 'docker:27-dind' }] } }
const verdict = (over: Partial<RunnerSet>, stored?: unknown) => {
  const set = runnerSet(over)
  return templateVerdict(set, 'h', stored ?? trialPod(set).spec, now)
}

it('refuses Docker in an ordinary container, with path, cause and fix', () => {
  expect(verdict({ template: zombie })).toMatchObject({
    is: 'refused',
    failure: {
      reason: 'template-hangs',
      message:
        'spec.containers[0]: a Docker daemon in an ordinary container keeps the pod running after the runner has ended; remove the container and set docker: sidecar in the RunnerSet',
    },
  })
})

it('converts the same template with docker: sidecar', () => {
  expect(verdict({ template: zombie, docker: 'sidecar' })).toMatchObject({ is: 'accepted', warnings: [] })
})

it('lets a hazard run with templateChecks: warn, and keeps the warning', () => {
  expect(verdict({ template: zombie, templateChecks: 'warn' })).toMatchObject({
    is: 'accepted',
    warnings: [{ reason: 'template-hangs', message: expect.stringContaining('spec.containers[0]') }],
  })
})

it('never lets a template run that lost a field, or that has no runner', () => {
  const set = runnerSet({ docker: 'sidecar', templateChecks: 'warn' })
  const { spec } = trialPod(set)
  const [docker] = spec['initContainers'] as readonly Record<string, unknown>[]
  const { restartPolicy: _, ...stripped } = docker ?? {}
  expect(templateVerdict(set, 'h', { ...spec, initContainers: [stripped] }, now)).toMatchObject({
    is: 'refused',
    failure: {
      reason: 'template-changed',
      message:
        'spec.initContainers[0].restartPolicy was dropped or changed: native sidecars need Kubernetes 1.29 or later, and no webhook that drops restartPolicy',
    },
  })
})

it('counts the refusals of one template, so that only the first is checked again soon', () => {
  const set = runnerSet({ template: zombie })
  const first = templateVerdict(set, 'h', trialPod(set).spec, now)
  expect(first).toMatchObject({ refusals: 1 })
  expect(afterRefusal(first, first)).toMatchObject({ refusals: 2 })
  expect(afterRefusal({ ...first, hash: 'other' }, first)).toMatchObject({ refusals: 1 })
})

it('says that an API server before 1.29 has no sidecars when it refuses their probe', () => {
  const message =
    'Pod "a" is invalid: spec.initContainers[0].startupProbe: Forbidden: may not be set for init containers without restartPolicy=Always'
  expect(refusedTemplate('h', { reason: 'template-invalid', message }, now, undefined)).toMatchObject({
    failure: {
      reason: 'template-invalid',
      message: `${message} (native sidecars need Kubernetes 1.29 or later, and no webhook that drops restartPolicy)`,
    },
  })
  expect(refusedTemplate('h', { reason: 'template-invalid', message: 'x' }, now, undefined)).toMatchObject({
    failure: { message: 'x' },
  })
})
