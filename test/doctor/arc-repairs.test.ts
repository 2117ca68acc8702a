// Repairs of ARC's recorded objects under real conditions: slow and refusing API servers, a view of one namespace, a forge that was not asked.
import { arcKinds } from '@dayfly/doctor/live/doctor-cluster.fixture'
import { type Answer, jsonBody, type Request, type Transport } from '@dayfly/kit/http'
import { seededRandom } from '@dayfly/kit/random'
import { afterEach, describe, expect, test } from 'vitest'
import { type Doctor, openDoctor } from './arc-doctor.fixture.ts'

let doctor: Doctor | undefined
afterEach(async () => {
  await doctor?.stage.cluster.stop()
  doctor = undefined
})

const reasons = { 403: 'Forbidden', 409: 'Conflict', 422: 'Invalid' } as const
type Code = keyof typeof reasons
const codes: readonly Code[] = [403, 409, 422]

describe.each(['0.9.3', '0.14.2', 'head'])('a stuck uninstall of %s', (release) => {
  test.each(codes)(
    'ends at 50 to 300 ms a request with refusals (%i) of every other write, and touches no busy runner',
    async (code) => {
      const random = seededRandom(code)
      const refusals = { left: 100, every: 2 }
      doctor = await openDoctor(release, 'controller-first', {
        latency: () => 50 + Math.floor(random() * 250),
        between: (pass) => refusing(pass, code, refusals),
      })
      const { plan, carryOut, works, endJobs, left } = doctor
      const { busy } = works()
      const notDone: string[] = []
      for (let round = 0; round < 20; round++) {
        const made = await plan({ idleRunnersEnd: true })
        if (made.steps.length === 0) break
        notDone.push(...(await carryOut(made)))
      }
      // The refusals reached the repair, and each next run went on.
      expect(notDone.length).toBeGreaterThan(2)
      expect(works()).toEqual({ busy, idle: [] })
      await endJobs()
      for (let round = 0; round < 40 && (await carryOut(await plan())).length > 0; round++);
      expect(left()).toEqual([])
    },
  )
})

/** Refuses every second real write to an object; Events and dry runs pass. */
function refusing(pass: Transport, code: Code, refusals: { left: number; readonly every: number }): Transport {
  let writes = 0
  return async (request) => {
    if (!isRealWrite(request) || ++writes % refusals.every !== 0 || refusals.left-- <= 0) return pass(request)
    const reason = reasons[code]
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: `refused: ${reason}` }
    const answer: Answer = { status: code, headers: { 'content-type': 'application/json' }, body: jsonBody(status) }
    return answer
  }
}

function isRealWrite({ method, query, body }: Request): boolean {
  const value = body.kind === 'json' ? (body.value as { readonly dryRun?: unknown }) : {}
  return (method === 'PATCH' || method === 'DELETE') && query['dryRun'] === undefined && value.dryRun === undefined
}

describe('in a view of one namespace', () => {
  const access = { namespaces: ['arc-runners'] }

  test('deletes no lost runner, because the controller is not in sight', async () => {
    doctor = await openDoctor('0.14.2', 'jobs-without-pods-before-uninstall')
    expect((await doctor.look(access)).filter((line) => line.startsWith('ARC403'))).toHaveLength(3)
    const { steps, refused } = await doctor.plan({ idleRunnersEnd: true }, access)
    expect(steps).toEqual([])
    expect(refused).toHaveLength(3)
    for (const { because } of refused) expect(because).toContain("it is not known whether ARC's controller runs")
  })

  test.each(['controller-first', 'jobs-without-pods', 'credentials-gone'])('plans nothing for %s', async (state) => {
    doctor = await openDoctor('0.14.2', state)
    expect((await doctor.plan({ idleRunnersEnd: true }, access)).steps).toEqual([])
  })
})

describe('without an answer of the forge', () => {
  const access = { account: undefined }

  test('keeps a runner whose status names a job, and says what to ask', async () => {
    doctor = await openDoctor('0.14.2', 'jobs-without-pods')
    const { refused } = await doctor.plan({ idleRunnersEnd: true }, access)
    const runners = refused.filter(
      ({ rule, object }) => rule === 'uninstall-stuck' && object.kind === 'EphemeralRunner',
    )
    expect(runners).toHaveLength(2)
    for (const { because } of runners) expect(because).toContain('ask GitHub with --github-url')
  })

  test('never ends a running runner, and names the deletion by hand, after which the uninstall ends', async () => {
    doctor = await openDoctor('0.14.2', 'controller-first')
    const { plan, works, stage } = doctor
    const { steps, refused } = await plan({ idleRunnersEnd: true }, access)
    const [idle] = works().idle[0] ?? []
    const said = refused.find(({ object }) => object.name === idle && object.kind === 'EphemeralRunner')
    expect(said?.because).toContain(`kubectl -n arc-runners delete pod ${idle}`)
    expect(steps.some(({ action }) => action.do !== 'deregister' && action.target.name === idle)).toBe(false)
    stage.registry.delete('pods', 'arc-runners', idle ?? '')
    await stage.clock.advance(60_000)
    const later = await plan({}, access)
    expect(later.steps.some(({ action }) => action.do !== 'deregister' && action.target.name === idle)).toBe(true)
  })
})

test('ends no idle runner that gets a job after the plan: the forge is asked again, and refuses', async () => {
  doctor = await openDoctor('0.14.2', 'controller-first')
  const { plan, carryOut, works, stage } = doctor
  const made = await plan({ idleRunnersEnd: true })
  const before = works()
  const [name] = before.idle[0] ?? []
  const index = stage.registrations.findIndex((one) => one.name === name)
  const known = stage.registrations[index]
  if (known) stage.registrations[index] = { ...known, busy: true }
  expect((await carryOut(made)).join('\n')).toContain('it may be busy: the forge does not report it as idle')
  expect(works().busy).toEqual(expect.arrayContaining([...before.busy, ...before.idle]))
})

describe('a listener whose set is gone', () => {
  test('is deleted, and ARC makes it again for the present set', async () => {
    doctor = await openDoctor('0.14.2', 'listener-of-a-gone-set')
    const { stage, plan, carryOut, look } = doctor
    actAsArc(doctor)
    expect((await look()).filter((line) => /^(ARC|FIN)/.test(line))).toEqual([
      'ARC406 AutoscalingListener linux-75f8f4f5-listener',
    ])
    const made = await plan()
    expect(made.steps.map(({ action }) => action.do)).toEqual(['delete'])
    expect(await carryOut(made)).toEqual([])
    expect((await look()).filter((line) => /^(ARC|FIN)/.test(line))).toEqual([])
    expect(stage.registry.list(arcKinds.AutoscalingListener, 'arc-systems')).toHaveLength(1)
  })

  test('is not called done while ARC keeps its finalizer', async () => {
    doctor = await openDoctor('0.14.2', 'listener-of-a-gone-set')
    const { plan, carryOut } = doctor
    const [line] = await carryOut(await plan())
    expect(line).toContain('it still exists 60 s later: held by autoscalinglistener.actions.github.com/finalizer')
  })
})

/** Does what ARC's controller does with a deleted listener. */
function actAsArc({ stage: { registry } }: Doctor): void {
  const resource = arcKinds.AutoscalingListener
  registry.subscribe(resource, ({ type, object }) => {
    const { name, namespace, deletionTimestamp, finalizers = [] } = object.metadata
    if (type === 'DELETED') {
      const [set] = registry.list(arcKinds.EphemeralRunnerSet, 'arc-runners')
      const spec = { ...(object['spec'] as object), ephemeralRunnerSetName: set?.metadata.name }
      const { apiVersion, kind } = object
      queueMicrotask(() => registry.create(resource, { apiVersion, kind, metadata: { name, namespace }, spec }))
    } else if (deletionTimestamp !== undefined && finalizers.length > 0) {
      const released = { ...object, metadata: { ...object.metadata, finalizers: [] } }
      queueMicrotask(() => registry.update(resource, released))
    }
  })
}
