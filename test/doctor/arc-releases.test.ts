// Every stuck uninstall that real releases of ARC left, on a running cluster: the doctor finds it, plans, confirms, repairs and verifies.
// A busy runner works on until its job has ended, and an idle one ends only with the operator's own confirmation.
import { afterEach, describe, expect, test } from 'vitest'
import { type Doctor, openDoctor } from './arc-doctor.fixture.ts'
import { recordedStates, releases } from './arc-objects.fixture.ts'

let doctor: Doctor | undefined
afterEach(async () => {
  await doctor?.stage.cluster.stop()
  doctor = undefined
})

/** The states in which nothing is being deleted. */
const notUninstalled = ['running', 'jobs-without-pods-before-uninstall', 'listener-of-a-gone-set']
const stuck = releases.flatMap((release) =>
  Object.keys(recordedStates(release))
    .filter((state) => !notUninstalled.includes(state))
    .map((state) => [release, state] as const),
)

test('covers five releases and their states', () => {
  expect(releases).toEqual(['0.9.3', '0.12.1', '0.13.1', '0.14.2', 'head'])
  expect(stuck).toHaveLength(34)
})

describe.each(stuck)('%s, %s', (release, state) => {
  test('ends in plan, confirm and verify, and lists what stays', async () => {
    doctor = await openDoctor(release, state)
    const { look, plan, carryOut, works, endJobs, left, stage } = doctor
    const root = (await look()).filter((line) => line.startsWith('FIN502 AutoscalingRunnerSet'))
    expect(root).toHaveLength(1)

    // Without the operator's decision, the doctor only advises.
    const advice = await plan({ restoreDeclined: false })
    expect(advice.steps.filter(({ rule }) => rule === 'uninstall-stuck')).toEqual([])

    const { busy, idle } = works()
    const careful = await plan()
    expect(await carryOut(careful)).toEqual([])
    expect(works()).toEqual({ busy, idle })
    expect(careful.guided.filter(({ advice }) => advice.includes('--end-idle-runners'))).toHaveLength(idle.length)

    const ending = await plan({ idleRunnersEnd: true })
    expect(await carryOut(ending)).toEqual([])
    expect(works()).toEqual({ busy, idle: [] })
    if (busy.length > 0) {
      expect((await look()).filter((line) => line.startsWith('FIN502'))).not.toEqual([])
      await endJobs()
      expect(await carryOut(await plan())).toEqual([])
    }

    expect(left()).toEqual(staysInCluster(state))
    const last = await plan()
    expect(last.steps).toEqual([])
    expect((await look()).filter((line) => /^(FIN|ARC)/.test(line))).toEqual([])
    expect(stage.registrations).toEqual([])
    expect(await doctor.remains()).toEqual([
      `the scale set ${stage.setName} (id 1) at ${stage.account.url}, until it has been unused for 7 days`,
    ])
  })
})

/** ARC would keep exactly these, too: the releases of helm, and the objects of a controller that was not uninstalled. */
function staysInCluster(state: string): readonly string[] {
  const controller = [
    'Deployment arc-gha-rs-controller',
    'Role arc-gha-rs-controller-listener',
    'RoleBinding arc-gha-rs-controller-listener',
    'Secret sh.helm.release.v1.arc.v1',
    'ServiceAccount arc-gha-rs-controller',
  ]
  return state === 'credentials-gone' || state === 'runners-namespace-deleted' ? controller : []
}

test.each(releases)('finds nothing to end in a running installation of %s', async (release) => {
  doctor = await openDoctor(release, 'running')
  expect((await doctor.look()).filter((line) => /^(FIN|ARC)/.test(line))).toEqual([])
  expect((await doctor.plan({ idleRunnersEnd: true })).steps).toEqual([])
})

test.each(['0.13.1', '0.14.2', 'head'])(
  'deletes no lost runner of %s before the uninstall: its controller is gone',
  async (release) => {
    doctor = await openDoctor(release, 'jobs-without-pods-before-uninstall')
    expect((await doctor.look()).filter((line) => line.startsWith('ARC403'))).toHaveLength(3)
    const { steps, refused } = await doctor.plan({ idleRunnersEnd: true })
    expect(steps).toEqual([])
    expect(new Set(refused.map(({ because }) => because))).toEqual(
      new Set(["ARC's controller does not run, so the deletion of the runner would hang"]),
    )
  },
)
