// A repair that is not allowed, or no longer. Nothing is written that was not confirmed, and the output names the next step.
import { arcKinds, createArc, definitionOf, ownedBy } from '@dayfly/doctor/live/doctor-cluster.fixture'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Run } from '../program-here.ts'
import { type Between, type Purpose, refusal, sayRequest } from './recording-proxy.ts'
import { doomed, linesOf, makeZombies, openRepairStage, type RepairStage } from './repair-stage.fixture.ts'

let stage: RepairStage
beforeEach(async () => {
  stage = await openRepairStage()
})
afterEach(() => stage.end())

/** Expects no attempt at all: no change, no dry run, no Event, no file. */
function expectNothingWritten(): void {
  const written = stage.proxy.exchanges.filter(({ purpose }) => purpose !== 'read' && purpose !== 'review')
  expect(written.map(sayRequest)).toEqual([])
  expect([doomed(stage), stage.files()]).toEqual([[], []])
}

describe('nothing is written', () => {
  beforeEach(() => makeZombies(stage, 'r1', 'r2', 'r3'))

  it('without a confirmation, also without a terminal', async () => {
    const { code, stderr } = await stage.doctor('--fix')
    expect(stderr).toMatch(
      /nothing is done yet; to carry out exactly this plan, run the same command with --confirm [0-9a-f]{16}\n$/,
    )
    expect(code).toBe(1)
    expectNothingWritten()
  })

  it('for a plan that has changed, and the new one is offered', async () => {
    const old = await stage.digest()
    touch('r2')
    const { code, stderr } = await stage.doctor('--fix', '--confirm', old)
    const offered =
      /nothing is done; to carry out the current plan, run the same command with --confirm ([0-9a-f]{16})$/m
    expect(stderr).toContain(`refused: the plan is no longer the one that was confirmed (${old})`)
    expect([code, offered.exec(stderr)?.[1]]).toEqual([5, await stage.digest()])
    expect(offered.exec(stderr)?.[1]).not.toBe(old)
    expectNothingWritten()
  })

  it('for a plan without a remaining step, and the output says so', async () => {
    const old = await stage.digest()
    for (const name of ['r1', 'r2', 'r3']) stage.registry.delete('pods', 'runners', name, { gracePeriodSeconds: 0 })
    stage.zombies.clear()
    const { code, stderr } = await stage.doctor('--fix', '--confirm', old)
    expect(stderr).toContain('plan: nothing to do\n')
    expect(stderr).toMatch(/^refused: the plan is no longer .+\nnothing is done; the current plan has no step\n$/m)
    expect(code).toBe(5)
    expectNothingWritten()
  })

  it('for more objects than the limits allow, with any confirmation', async () => {
    makeZombies(stage, ...Array.from({ length: 9 }, (_, index) => `more-${index}`))
    const { stderr: planned } = await stage.doctor('--fix')
    expect(planned).toMatch(/ {2}blocked: 12 of 12 runners would be deleted at once.+\(--max-runner-share\)/)
    const digest = /^plan ([0-9a-f]{16}):$/m.exec(planned)?.[1] ?? 'none'
    const { code, stderr } = await stage.doctor('--fix', '--confirm', digest)
    expect(stderr).toContain('refused: 12 of 12 runners would be deleted at once')
    expect(code).toBe(5)
    expectNothingWritten()
  })
})

describe('a dry run that the server refuses', () => {
  beforeEach(() => makeZombies(stage, 'r1', 'r2', 'r3'))

  it.each([
    [403, 'Forbidden', 'pods "r2" is forbidden: a policy protects it', 'not allowed: pods "r2" is forbidden'],
    [422, 'Invalid', 'Pod "r2" is invalid: no', 'Pod "r2" is invalid'],
    [
      500,
      'InternalError',
      'failed calling webhook "guard.acme": no route',
      'a webhook refused the dry run, so do this by hand',
    ],
  ])('(%i) leaves its object alone; the other steps go on', async (status, reason, message, says) => {
    answering('trial', 'r2', () => refusal(status, reason, message))
    const output = await repair()
    expect(output.stderr).toContain(`  2. not done: delete Pod runners/r2 (${says}`)
    expect(output.stderr).toMatch(/^2 of 3 steps done, 1 not done$/m)
    expect([output.code, doomed(stage)]).toEqual([5, ['r1', 'r3']])
    expect(changes()).toEqual(['delete pods/r1', 'delete pods/r3'])
    expect(linesOf(stage, 'images').map(({ step }) => step)).toEqual([1, 3])
  })
})

describe('between the plan and its step', () => {
  it('leaves a changed object alone; the other steps go on', async () => {
    makeZombies(stage, 'r1', 'r2', 'r3')
    const held = stage.proxy.hold('change', 1)
    const repairing = await stage.begin()
    await held.came
    touch('r2')
    held.release()
    expect(await repairing.ended).toMatchObject({ code: 5 })
    expect(repairing.stderr()).toContain(
      '  2. not done: delete Pod runners/r2 (it has changed since the plan was made)',
    )
    expect(changes()).toEqual(['delete pods/r1', 'delete pods/r3'])
  })

  it('does not begin a step that depends on a failed one; another chain goes on', async () => {
    for (const [kind, resource] of Object.entries(arcKinds)) {
      stage.registry.create('customresourcedefinitions.apiextensions.k8s.io', definitionOf(kind, resource))
    }
    leaveUninstall('a')
    leaveUninstall('b')
    const held = stage.proxy.hold('change', 1)
    const repairing = await stage.begin('--remove-finalizers')
    await held.came
    const runner = stage.registry.get(arcKinds.EphemeralRunner, 'runners', 'b-runner')
    stage.registry.update(arcKinds.EphemeralRunner, { ...runner, status: { jobId: 'build' } } as never)
    held.release()
    expect(await repairing.ended).toMatchObject({ code: 5 })
    expect(repairing.stderr()).toMatch(
      /^2 of 4 steps done, 1 not done, 1 not begun\n {2}not begun: step 2 was not done$/m,
    )
    expect(changes()).toEqual([
      'patch ephemeralrunners.actions.github.com/a-runner',
      'patch ephemeralrunnersets.actions.github.com/a-set',
    ])
    expect(stage.registry.list(arcKinds.EphemeralRunnerSet).map(({ metadata }) => metadata.name)).toEqual(['b-set'])
  })
})

describe('a server that is overloaded', () => {
  beforeEach(() => makeZombies(stage, 'r1', 'r2', 'r3'))

  it.each([429, 503])(
    '(%i) and says when to come back is asked again then: reads, reviews and trials',
    async (status) => {
      const refused = new Set<string>()
      stage.proxy.between = async (exchange, pass) => {
        const { purpose } = exchange
        // A write is sent again only if it was certainly not carried out.
        const may = status === 429 ? purpose !== 'event' : purpose === 'read'
        if (!may || refused.has(purpose)) return await pass()
        refused.add(purpose)
        return refusal(status, 'TooManyRequests', 'slow down', { 'retry-after': '0' })
      }
      const { code, stderr } = await repair()
      expect(stderr).toContain('3 of 3 steps done')
      expect([code, [...refused].sort()]).toEqual([
        0,
        status === 429 ? ['change', 'read', 'review', 'trial'] : ['read'],
      ])
    },
  )

  it('ends the run when it lasts (429, Retry-After: 3600), because later steps would be refused, too', async () => {
    const digest = await stage.digest()
    answering('change', 'r2', () => refusal(429, 'TooManyRequests', 'too busy', { 'retry-after': '3600' }))
    const { code, stderr } = await stage.doctorProcess('--fix', '--confirm', digest)
    expect(stderr).toContain('  2. not done: delete Pod runners/r2 (too busy)')
    expect(stderr).toMatch(
      /^1 of 3 steps done, 1 not done, 1 not begun\n {2}not begun: the API server no longer answers normally: too busy$/m,
    )
    expect([code, doomed(stage)]).toEqual([5, ['r1']])
  })

  it('and fails within a write (500): the result is read, the write is not sent again, and the other steps go on', async () => {
    answering('change', 'r2', () => refusal(500, 'InternalError', 'etcd is gone'))
    const { code, stderr } = await repair()
    expect(stderr).toContain(
      '  2. not done: delete Pod runners/r2 (the API server answered 500, and it is unchanged: etcd is gone)',
    )
    expect([code, changes()]).toEqual([5, ['delete pods/r1', 'delete pods/r2', 'delete pods/r3']])
    expect(doomed(stage)).toEqual(['r1', 'r3'])
  })
})

async function repair(): Promise<Run> {
  return await stage.doctor('--fix', '--confirm', await stage.digest())
}

/** Answers in place of the server, for this request about the object with this name. */
function answering(purpose: Purpose, name: string, answer: () => Awaited<ReturnType<Between>>): void {
  stage.proxy.between = async (exchange, pass) =>
    exchange.purpose === purpose && exchange.request.path.endsWith(`/${name}`) ? answer() : await pass()
}

function changes(): readonly string[] {
  return stage.proxy.exchanges.filter(({ purpose }) => purpose === 'change').map(sayRequest)
}

/** A change that no rule examines. */
function touch(name: string): void {
  const { registry } = stage
  const pod = registry.get('pods', 'runners', name)
  registry.update('pods', { ...pod, metadata: { ...pod?.metadata, annotations: { touched: 'yes' } } } as never)
}

/** A runner set that is being deleted with its runner, without a controller to remove their finalizers. */
function leaveUninstall(name: string): void {
  const { registry } = stage
  const finalizers = (kind: string) => [`${kind}.actions.github.com/finalizer`]
  const set = createArc(registry, 'EphemeralRunnerSet', {
    name: `${name}-set`,
    finalizers: finalizers('ephemeralrunnerset'),
  })
  const runner = { name: `${name}-runner`, finalizers: finalizers('ephemeralrunner'), ownerReferences: ownedBy(set) }
  createArc(registry, 'EphemeralRunner', runner)
  registry.delete(arcKinds.EphemeralRunnerSet, 'runners', `${name}-set`)
  registry.delete(arcKinds.EphemeralRunner, 'runners', `${name}-runner`)
}
