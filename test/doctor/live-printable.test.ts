// Text that others wrote into the cluster reaches neither the terminal nor the log of a CI job as a command.
import { arcKinds, createArc, createPod, definitionOf } from '@dayfly/doctor/live/doctor-cluster.fixture'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openRepairStage, type RepairStage } from './repair-stage.fixture.ts'

let stage: RepairStage
beforeEach(async () => {
  stage = await openRepairStage()
  for (const [kind, resource] of Object.entries(arcKinds))
    stage.registry.create('customresourcedefinitions.apiextensions.k8s.io', definitionOf(kind, resource))
})
afterEach(() => stage.end())

const hostile = 'x\x1b[2J\x1b]0;title\x07\x9b1m\n::error::stolen\n  ::add-mask::a\r##[error]older'

/** Every line that a terminal or GitHub Actions would obey. */
function commandsIn(output: string): readonly string[] {
  return output.split('\n').filter((line) => /[\x00-\x1f\x7f-\x9f]|^\s*::(error|add-mask)::|##\[/.test(line))
}

test("the holder of a lease, in a plan's refusal on stderr", async () => {
  const finalizers = ['autoscalingrunnerset.actions.github.com/finalizer']
  createArc(stage.registry, 'AutoscalingRunnerSet', { name: 'set', finalizers })
  stage.registry.delete(arcKinds.AutoscalingRunnerSet, 'runners', 'set')
  const renewTime = new Date().toISOString().replace('Z', '000Z')
  stage.registry.create('leases.coordination.k8s.io', {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'arc-gha-rs-controller', namespace: 'arc-system' },
    spec: { holderIdentity: hostile, leaseDurationSeconds: 15, renewTime },
  })
  const { stderr } = await stage.doctor('--fix', '--remove-finalizers')
  expect(stderr).toContain('stolen')
  expect(commandsIn(stderr)).toEqual([])
})

test.each(['pretty', 'github', 'junit', 'json', 'sarif'])("a container's message, in the format %s", async (format) => {
  const waiting = { waiting: { reason: 'ImagePullBackOff', message: hostile } }
  createPod(stage.registry, { name: 'r1' }, { phase: 'Pending', runner: waiting })
  const { stdout, stderr } = await stage.doctor('--format', format)
  expect(stdout).toContain('stolen')
  expect(commandsIn(stdout + stderr)).toEqual([])
})

test("a server's sentence, in an error", async () => {
  stage.proxy.between = async () => ({
    status: 400,
    headers: {},
    body: { kind: 'json', value: { kind: 'Status', status: 'Failure', code: 400, message: hostile } },
  })
  const { code, stderr } = await stage.doctor()
  expect([code, stderr]).toEqual([3, expect.stringContaining('stolen')])
  expect(commandsIn(stderr)).toEqual([])
})
