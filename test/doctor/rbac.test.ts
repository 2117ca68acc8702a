// The roles that `dayfly doctor rbac` prints are minimal: no request is refused, and no right is unused.
import { createArc, ownedBy } from '@dayfly/doctor/live/doctor-cluster.fixture'
import { doctorRoles } from '@dayfly/doctor/live/rbac'
import { createController } from '@dayfly/doctor/live/state.fixture'
import { catalogue } from '@dayfly/doctor/rules/catalogue'
import { afterEach, describe, expect, it } from 'vitest'
import { defineCustomKinds } from '../kubernetes/custom-kinds.ts'
import { makeIncidents } from '../kubernetes/incidents.ts'
import { runHere } from '../program-here.ts'
import { type Grant, grantRoles, refusedIn, unusedOf } from './granted-role.ts'
import { makeHopeless } from './hopeless-pods.fixture.ts'
import { account, openRepairStage, type RepairStage } from './repair-stage.fixture.ts'

let stage: RepairStage
afterEach(() => stage?.end())

/** A cluster in which every kind of repair is needed. */
async function open(controller: 'gone' | 'there' = 'gone'): Promise<void> {
  stage = await openRepairStage({ collects: false, token: 'mounted' })
  const { kubernetes, registry, clock } = stage
  await defineCustomKinds(kubernetes)
  await makeIncidents({ kubernetes, name: 'site', now: clock.now })
  makeHopeless(stage)
  stage.endPods()
  leaveListener()
  const stray = {
    autoscalingRunnerSetName: 'no',
    autoscalingRunnerSetNamespace: 'runners',
    ephemeralRunnerSetName: 'gone',
  }
  createArc(registry, 'AutoscalingListener', { name: 'stray' }, { spec: stray })
  if (controller === 'there') createController(registry)
}

/** The rights for an uninstall that began without this repair. */
function leaveListener(): void {
  const { registry } = stage
  const finalizers = (kind: string) => [`${kind}.actions.github.com/finalizer`]
  const set = createArc(registry, 'AutoscalingRunnerSet', {
    name: 'other',
    finalizers: finalizers('autoscalingrunnerset'),
  })
  const spec = { autoscalingRunnerSetName: 'other', autoscalingRunnerSetNamespace: 'runners' }
  const labels = {
    'actions.github.com/scale-set-name': 'other',
    'auto-scaling-listener-name': 'other',
    'auto-scaling-listener-namespace': 'runners',
  }
  const metadata = { name: 'other', namespace: 'runners', labels }
  const apiVersion = 'rbac.authorization.k8s.io/v1'
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'other' }
  registry.create('roles.rbac.authorization.k8s.io', { apiVersion, kind: 'Role', metadata, rules: [] })
  const binding = { apiVersion, kind: 'RoleBinding', metadata, roleRef, subjects: [] }
  registry.create('rolebindings.rbac.authorization.k8s.io', binding)
  const listener = { name: 'other', finalizers: finalizers('autoscalinglistener'), ownerReferences: ownedBy(set) }
  createArc(registry, 'AutoscalingListener', listener, { spec })
  registry.delete('autoscalingrunnersets.actions.github.com', 'runners', 'other')
}

async function grant(...args: readonly string[]): Promise<Grant> {
  const { stdout } = await runHere(['doctor', 'rbac', ...args])
  return await grantRoles(stage.kubernetes, stdout, account)
}

describe('examining', () => {
  it('a cluster that uses every kind', async () => {
    await open()
    const granted = await grant()
    const { code, stdout } = await stage.doctor()
    expect([code, JSON.parse(stdout).coverage]).toMatchObject([
      1,
      { skipped: [], leftOut: [{ file: 'Secret', reason: expect.stringContaining('without the right to list it') }] },
    ])
    expect([refusedIn(stage.proxy.exchanges), unusedOf(granted, stage.proxy.exchanges)]).toEqual([[], []])
  })

  it('a cluster without runners, which is clean', async () => {
    stage = await openRepairStage({ token: 'mounted' })
    await grant()
    const { code, stderr } = await stage.doctor()
    expect([code, stderr, refusedIn(stage.proxy.exchanges)]).toEqual([0, '', []])
  })

  it('the logs of runners', async () => {
    await open()
    const granted = await grant('--logs')
    const { stdout } = await stage.doctor('--logs')
    expect(JSON.parse(stdout).coverage.skipped).toEqual([])
    expect([refusedIn(stage.proxy.exchanges), unusedOf(granted, stage.proxy.exchanges)]).toEqual([[], []])
  })

  it('one namespace', async () => {
    await open()
    const granted = await grant('--in', 'runners')
    const { stdout } = await stage.doctor('-n', 'runners')
    expect(JSON.parse(stdout).coverage.skipped).toEqual([])
    expect([refusedIn(stage.proxy.exchanges), unusedOf(granted, stage.proxy.exchanges)]).toEqual([[], []])
  })
})

describe('repairing', () => {
  const controllers = {
    'zombie-runner-pod': 'there',
    'stuck-terminating': 'gone',
    'orphan-completed-pods': 'gone',
    'tracking-finalizer-stuck': 'gone',
    'ephemeralrunner-failed-silently': 'there',
    'slots-held-by-failed': 'there',
    'runner-cr-without-pod': 'there',
    'uninstall-stuck': 'gone',
    'listener-of-gone-set': 'there',
  } as const

  it.each(Object.entries(controllers))('%s', async (rule, controller) => {
    await open(controller)
    await repairWith(await grant('--fixes', rule))
  })

  it('every rule', async () => {
    await open()
    await repairWith(await grant('--fixes'))
  })

  it('covers every rule that needs a role', () => {
    const needy = catalogue.filter(({ slug }) => doctorRoles({ fixes: [slug] }).length > 1)
    expect(needy.map(({ slug }) => slug).sort()).toEqual(Object.keys(controllers).sort())
  })
})

async function repairWith(granted: Grant): Promise<void> {
  const fix = ['--remove-finalizers']
  const { code, stderr } = await stage.doctor('--fix', ...fix, '--confirm', await stage.digest(...fix))
  expect(stderr).toMatch(/^(\d+) of \1 steps? done$/m)
  expect([code, refusedIn(stage.proxy.exchanges), unusedOf(granted, stage.proxy.exchanges)]).toEqual([0, [], []])
}
