// A set that is deleted while its forge fails: nothing may stay at the forge once it works again.
import type { Controller } from '@dayfly/controller/controller'
import { noBody } from '@dayfly/kit/http'
import type { JournalEvent } from '@dayfly/runner-set/model/event'
import { describe, expect, it } from 'vitest'
import { events, namespace, openStage, podNames, runnerSetObject, type Stage, status } from './stage.ts'

const minute = 60_000
const leases = 'leases.coordination.k8s.io'
const everything = { pathRegex: '^/(?!_emulator)' }

type Match = { readonly method?: string; readonly pathRegex: string }

async function deletedDuring(fault: { readonly match: Match; readonly status: number }) {
  const stage = await openStage({ forgeMs: 150, apiMs: 50, spec: { scale: { min: 2, max: 10 } } })
  await stage.clock.advance(3_000)
  const { match, status: code } = fault
  const id = stage.emulator.control.fault({
    match,
    times: 1_000_000,
    action: { kind: 'answer', status: code, body: {} },
  })
  stage.registry.delete('runnersets.dayfly.dev', namespace, 'linux')
  await stage.clock.advance(5 * minute)
  return { stage, recover: () => stage.emulator.control.removeFault(id) }
}

const kind = 'runnersets.dayfly.dev'

function pause({ registry }: Stage, paused: boolean): void {
  const set = registry.get(kind, namespace, 'linux')
  registry.update(kind, { ...set, metadata: { ...set?.metadata }, spec: { ...(set?.['spec'] as object), paused } })
}

/** Another process takes the Lease, and does not renew it. */
function takeLease({ registry, clock }: Stage): void {
  const lease = registry.get(leases, namespace, 'dayfly')
  const now = new Date(clock.now()).toISOString().replace('Z', '000Z')
  // An orderly stop leaves a Lease of one second.
  const held = { holderIdentity: 'other', leaseDurationSeconds: 15 }
  const spec = { ...(lease?.['spec'] as object), ...held, renewTime: now, acquireTime: now }
  registry.update(leases, { ...lease, metadata: { ...lease?.metadata }, spec })
}

async function ended({ clock }: Stage, controller: Controller): Promise<void> {
  const stopping = controller.stop()
  await clock.advance(minute)
  await stopping
}

async function untilEvent(stage: Stage, name: JournalEvent['kind'], count: number): Promise<void> {
  for (let steps = 0; events(stage, name).length < count; steps++) {
    if (steps > 60_000) throw new Error(`no ${name} came`)
    await stage.clock.advance(10)
  }
}

/** Asks the emulator itself, past its faults. */
async function scaleSets({ emulator }: Stage): Promise<readonly string[]> {
  const request = { method: 'GET', path: '/_emulator/state', query: {}, headers: {}, body: noBody } as const
  const { body } = await emulator.transport({ ...request, expect: 'whole' })
  const { scaleSets } = (body.kind === 'json' ? body.value : {}) as { scaleSets: readonly { readonly name: string }[] }
  return scaleSets.map(({ name }) => name)
}

describe('a set that is deleted while GitHub fails', () => {
  it.each([
    ['every call', { match: everything, status: 503 }],
    ['the removal alone', { match: { method: 'DELETE', pathRegex: '/runnerscalesets/' }, status: 403 }],
  ])('leaves nothing there once GitHub works again, if it failed %s', async (_name, fault) => {
    const { stage, recover } = await deletedDuring(fault)
    expect(await scaleSets(stage)).toEqual(['linux'])
    recover()
    await stage.clock.advance(6 * minute)
    expect(await scaleSets(stage)).toEqual([])
    expect(events(stage, 'records-removed')).toEqual([{ kind: 'records-removed', namespace, set: 'linux' }])
  })

  it('does not keep a new set of its name from its work', async () => {
    const { stage, recover } = await deletedDuring({ match: everything, status: 503 })
    const before = podNames(stage)
    stage.registry.create('runnersets.dayfly.dev', runnerSetObject('linux', { scale: { min: 1, max: 10 } }))
    await stage.clock.advance(minute)
    recover()
    await stage.clock.advance(12 * minute)
    expect(await scaleSets(stage)).toEqual(['linux'])
    const conditions = Object.fromEntries((status(stage).conditions ?? []).map((one) => [one.type, one.status]))
    expect(conditions).toMatchObject({ ForgeConnected: 'True' })
    expect(podNames(stage).filter((name) => !before.includes(name))).toHaveLength(1)
  })

  it('gives up after an hour, says so, and asks GitHub rarely until then', async () => {
    const { stage } = await deletedDuring({ match: { method: 'DELETE', pathRegex: '/runnerscalesets/' }, status: 403 })
    await stage.clock.advance(70 * minute)
    expect(events(stage, 'records-left')).toHaveLength(1)
    const tries = stage.emulator.control.requests().filter(({ method }) => method === 'DELETE')
    expect(tries.length).toBeLessThan(40)
  })

  it('does not hold up the end of the process', async () => {
    const { stage } = await deletedDuring({ match: everything, status: 503 })
    const stopping = stage.controller.stop()
    const before = stage.clock.now()
    let took = Number.POSITIVE_INFINITY
    void stopping.then(() => {
      took = stage.clock.now() - before
    })
    await stage.clock.advance(minute)
    expect(took).toBeLessThan(32_000)
    expect(events(stage, 'records-left')).toHaveLength(1)
  })
})

describe('a set that is deleted', () => {
  const open = async () => {
    const opened = await openStage({ forgeMs: 150, apiMs: 50, spec: { scale: { min: 1, max: 10 } } })
    await opened.clock.advance(3_000)
    return opened
  }

  it.each([0, 50, 100, 150, 200, 250, 300, 400, 500])(
    'leaves nothing at GitHub if its link opened again for %i ms',
    async (ms) => {
      const stage = await open()
      pause(stage, true)
      await stage.clock.advance(5_000)
      pause(stage, false)
      await stage.clock.advance(ms)
      stage.registry.delete(kind, namespace, 'linux')
      await stage.clock.advance(minute)
      expect(await scaleSets(stage)).toEqual([])
      const before = stage.emulator.control.requests().length
      await stage.clock.advance(5 * minute)
      expect(stage.emulator.control.requests()).toHaveLength(before)
    },
  )

  it('leaves nothing at GitHub if it could not be read, then could, and could not again', async () => {
    const stage = await open()
    const scale = { min: 1, max: 10 }
    const schedule = [{ timeZone: 'Mars/Base', from: '09:00', to: '10:00', min: 1 }]
    // All three changes come before the first worker has ended.
    for (const next of [{ ...scale, schedule }, scale, { ...scale, schedule }]) {
      const set = stage.registry.get(kind, namespace, 'linux')
      stage.registry.update(kind, {
        ...set,
        metadata: { ...set?.metadata },
        spec: { ...Object(set?.['spec']), scale: next },
      })
    }
    await stage.clock.advance(minute)
    stage.registry.delete(kind, namespace, 'linux')
    await stage.clock.advance(minute)
    expect(await scaleSets(stage)).toEqual([])
  })

  it('leaves nothing at GitHub if no process led', async () => {
    const stage = await open()
    takeLease(stage)
    await untilEvent(stage, 'leadership-lost', 1)
    stage.registry.delete(kind, namespace, 'linux')
    await untilEvent(stage, 'leadership-gained', 2)
    await stage.clock.advance(minute)
    expect(await scaleSets(stage)).toEqual([])
  })

  it.each([0, 50, 150, 300])('leaves nothing at GitHub if a process led for %i ms', async (ms) => {
    const stage = await open()
    takeLease(stage)
    await untilEvent(stage, 'leadership-gained', 2)
    await stage.clock.advance(ms)
    stage.registry.delete(kind, namespace, 'linux')
    await stage.clock.advance(minute)
    expect(await scaleSets(stage)).toEqual([])
  })

  /** A process sees the set, and the set is deleted before that process leads. */
  const deletedBeforeItLeads = async (stage: Stage, remove: () => void) => {
    await ended(stage, stage.controller)
    takeLease(stage)
    const next = stage.start('controller-2')
    await stage.clock.advance(2_000)
    remove()
    await untilEvent(stage, 'leadership-gained', 2)
    await stage.clock.advance(minute)
    return next
  }

  it('leaves nothing at GitHub if the process that leads next has never led', async () => {
    const stage = await open()
    const next = await deletedBeforeItLeads(stage, () => stage.registry.delete(kind, namespace, 'linux'))
    expect(await scaleSets(stage)).toEqual([])
    expect(events(stage, 'records-removed')).toHaveLength(1)
    await ended(stage, next)
  })

  it('says at once that records may be left, if that process finds no credential', async () => {
    const stage = await open()
    const next = await deletedBeforeItLeads(stage, () => {
      stage.registry.delete('secrets', namespace, 'github')
      stage.registry.delete(kind, namespace, 'linux')
    })
    expect(events(stage, 'records-left')).toHaveLength(1)
    expect(events(stage, 'forge-failed').map(({ failure }) => failure.reason)).toEqual(['forge-misconfigured'])
    await ended(stage, next)
  })
})
