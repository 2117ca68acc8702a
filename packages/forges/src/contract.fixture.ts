// The contract of the forge port. The tests of each forge run these cases against its emulator.
import { assert } from '@dayfly/kit/assert'
import type { Failure } from '@dayfly/runner-set/model/failure'
import {
  type ForgeWorld,
  lastState,
  open,
  openToDemand,
  register,
  rejects,
  runJob,
  waitForJobs,
} from './contract-world.fixture.ts'
import type { ForgeEventReader } from './event-reader.fixture.ts'

export type ContractCase = { readonly name: string; run(world: ForgeWorld): Promise<void> }

export const forgeContract: readonly ContractCase[] = [
  { name: 'demand follows the jobs that are queued and finished', run: demandFollowsJobs },
  { name: 'a registration is listed from register to deregister', run: registrationIsListed },
  { name: 'deregister returns busy for a busy runner if the forge refuses it', run: busyIsRefused },
  { name: 'deregister rejects with the reason of the refusal', run: removalIsRefused },
  { name: 'a job has one event when it starts and one when it ends', run: jobHasTwoEvents },
  { name: 'events that are delivered again have no second effect', run: redeliveryHasNoEffect },
  { name: 'events that are not acknowledged are delivered again', run: unacknowledgedIsRedelivered },
  { name: 'a name is registered once', run: nameIsTakenOnce },
  { name: 'update changes the labels at the forge, or reports that they differ', run: labelsAreUpdated },
  { name: 'update changes the group at the forge, or reports that it differs', run: groupIsUpdated },
  { name: 'settings that the forge refuses are reported until both sides agree', run: refusedSettingsAreReported },
  { name: 'after a pause the next process continues at once', run: pauseFreesTheSession },
  { name: 'after a crash the next process continues at once', run: crashIsResumed },
  { name: 'removing a set leaves no record', run: removalLeavesNothing },
  { name: 'an outage of the forge and its end are reported', run: outageIsReported },
  { name: 'an outage while opening is not an error', run: outageWhileOpening },
  { name: 'a refused credential is an error of its own kind', run: credentialIsRefused },
  { name: 'the events end with the signal', run: eventsEndWithSignal },
]

async function demandFollowsJobs(world: ForgeWorld): Promise<void> {
  const opened = await openToDemand(world)
  await waitForJobs(world, opened.reader, { waiting: 0 })
  world.queueJobs(2)
  await waitForJobs(world, opened.reader, { waiting: 2 })
  opened.reader.clear()
  const registration = await runJob(world, opened, 'linux-one')
  await waitForJobs(world, opened.reader, { waiting: 2, running: 1 })
  await world.wait(opened.link.cordon(registration))
  opened.reader.clear()
  await world.finishJob('linux-one')
  await waitForJobs(world, opened.reader, { waiting: 2 })
  const started = opened.reader.events.filter(({ kind }) => kind === 'job-started')
  assert(started.length === 0, 'a cordoned runner gets no other job')
  await world.wait(opened.link.close('pause'))
}

async function registrationIsListed(world: ForgeWorld): Promise<void> {
  const { link } = await openToDemand(world)
  assert((await world.wait(link.registrations())).length === 0, 'a new set has no registration')
  const { credential, ...registration } = await register(world, link, 'linux-one')
  const secrets = Object.values(credential.reveal())
  assert(secrets.length > 0 && !secrets.includes(''), 'a credential has entries')
  assert(!secrets.some((secret) => String(credential).includes(secret)), 'a credential is secret')
  const [listed, ...more] = await world.wait(link.registrations())
  assert(listed?.id === registration.id && listed.name === 'linux-one' && more.length === 0, 'it is listed')
  assert((await world.wait(link.deregister(registration))) === 'removed', 'an idle runner is removed')
  assert((await world.wait(link.registrations())).length === 0, 'it is gone')
  assert((await world.wait(link.deregister(registration))) !== 'busy', 'a registration that is gone is not busy')
  await world.wait(link.close('pause'))
}

async function busyIsRefused(world: ForgeWorld): Promise<void> {
  const opened = await openToDemand(world)
  const registration = await runJob(world, opened, 'linux-one')
  if (opened.forge.traits.removal === 'refuses-busy') {
    assert((await world.wait(opened.link.deregister(registration))) === 'busy', 'a busy runner stays')
    assert(world.records().registrations === 1, 'its registration stays')
  }
  await world.finishJob('linux-one')
  assert((await world.wait(opened.link.deregister(registration))) !== 'busy', 'it is no longer busy')
  assert(world.records().registrations === 0, 'no registration stays')
  await world.wait(opened.link.close('pause'))
}

async function removalIsRefused(world: ForgeWorld): Promise<void> {
  const { link } = await openToDemand(world)
  const { credential: _, ...registration } = await register(world, link, 'linux-one')
  const refusals = [
    ['unauthorized', 'unauthorized'],
    ['unavailable', 'unavailable'],
    // The last one: a limit may hold back every further call.
    ['limited', 'rate-limited'],
  ] as const
  for (const [refusal, kind] of refusals) {
    world.refuseRemovals(refusal)
    const { retryAt } = await rejects(world, link.deregister(registration), kind)
    assert(refusal !== 'limited' || retryAt !== undefined, 'a limit states when to try again')
    assert(world.records().registrations === 1, `the registration stays after ${refusal}`)
  }
  await world.wait(link.close('pause'))
}

type Settings = Awaited<ReturnType<ForgeWorld['settings']>>

/** Waits until the forge has the settings, or the link reports that it does not take them. */
async function settle(world: ForgeWorld, reader: ForgeEventReader, agrees: (settings: Settings) => boolean) {
  for (let polls = 0; polls < 20; polls++) {
    if (agrees(await world.settings())) return
    const last = reader.events.findLast((event) => event.kind === 'settings')
    if (last?.failure) return assertDiffers(last.failure)
    const seen = new Set(reader.events)
    await world.wait(reader.find('demand', (event) => !seen.has(event)))
  }
  throw new Error('the settings neither agree nor are reported')
}

function assertDiffers(failure: Failure | undefined): void {
  assert(failure?.reason === 'forge-settings-differ' && failure.message !== '', 'the failure names the difference')
}

async function labelsAreUpdated(world: ForgeWorld): Promise<void> {
  const { link, reader } = await openToDemand(world)
  link.update({ ...world.set, labels: [...world.set.labels, 'gpu'] })
  await register(world, link, 'linux-one')
  await settle(world, reader, ({ labels }) => labels.includes('gpu'))
  link.update(world.set)
  await register(world, link, 'linux-two')
  await settle(world, reader, ({ labels }) => !labels.includes('gpu'))
  await world.wait(link.close('pause'))
}

async function groupIsUpdated(world: ForgeWorld): Promise<void> {
  world.addGroup('gpu')
  const { link, reader } = await openToDemand(world)
  const before = (await world.settings()).group
  link.update({ ...world.set, group: 'gpu' })
  await settle(world, reader, ({ group }) => group === 'gpu')
  await world.wait(link.close('pause'))
  await world.wait(reader.ended)
  const next = await openToDemand(world, lastState(reader))
  await settle(world, next.reader, ({ group }) => group === before)
  await world.wait(next.link.close('pause'))
}

async function refusedSettingsAreReported(world: ForgeWorld): Promise<void> {
  const { link, reader } = await openToDemand(world)
  await register(world, link, 'linux-one')
  world.refuseSettings()
  link.update({ ...world.set, labels: [...world.set.labels, 'gpu'] })
  const { failure } = await world.wait(reader.find('settings', (event) => event.failure !== undefined))
  assertDiffers(failure)
  reader.clear()
  world.queueJobs(1)
  await waitForJobs(world, reader, { waiting: 1 })
  link.update(world.set)
  await world.wait(reader.find('settings', (event) => event.failure === undefined))
  await world.wait(link.close('pause'))
}

async function jobHasTwoEvents(world: ForgeWorld): Promise<void> {
  const opened = await openToDemand(world)
  await runJob(world, opened, 'linux-one')
  await world.finishJob('linux-one')
  const finished = await world.wait(opened.reader.find('job-finished'))
  const started = opened.reader.events.filter(({ kind }) => kind === 'job-started')
  const [first] = started
  assert(started.length === 1 && first?.kind === 'job-started', 'one start')
  assert(first.job.id !== '' && first.job.id === finished.jobId && finished.runner === 'linux-one', 'of the same job')
  assert(finished.result !== '' && finished.at >= first.at, 'with a result, after the start')
  await world.wait(opened.link.close('pause'))
}

async function redeliveryHasNoEffect(world: ForgeWorld): Promise<void> {
  const opened = await openToDemand(world)
  world.queueJobs(1)
  await waitForJobs(world, opened.reader, { waiting: 1 })
  const { credential } = await register(world, opened.link, 'linux-one')
  await world.startRunner('linux-one', credential)
  world.refuseAcknowledgement()
  await world.startJob('linux-one')
  await world.wait(opened.reader.find('job-started'))
  world.queueJobs(4)
  await waitForJobs(world, opened.reader, { waiting: 4, running: 1 })
  const started = opened.reader.events.filter(({ kind }) => kind === 'job-started')
  assert(started.length === 1, `expected one start, got ${started.length}`)
  await world.wait(opened.link.close('pause'))
}

async function unacknowledgedIsRedelivered(world: ForgeWorld): Promise<void> {
  const { reader, link } = await openToDemand(world)
  reader.ackAll = false
  reader.clear()
  world.queueJobs(1)
  await waitForJobs(world, reader, { waiting: 1 })
  reader.clear()
  reader.ackAll = true
  await waitForJobs(world, reader, { waiting: 1 })
  await world.wait(link.close('pause'))
}

async function nameIsTakenOnce(world: ForgeWorld): Promise<void> {
  const { link } = await openToDemand(world)
  await register(world, link, 'linux-one')
  await rejects(world, link.register('linux-one'), 'conflict')
  await register(world, link, 'linux-two')
  await world.wait(link.close('pause'))
}

async function pauseFreesTheSession(world: ForgeWorld): Promise<void> {
  const first = await openToDemand(world)
  await register(world, first.link, 'linux-one')
  await world.wait(first.link.close('pause'))
  await world.wait(first.reader.ended)
  assert(world.records().sessions === 0, 'the session is deleted')
  assert(world.records().registrations === 1, 'the runners stay')
  const next = await openToDemand(world, lastState(first.reader))
  assert(!next.reader.events.some(({ kind }) => kind === 'failing'), 'the next process meets no failure')
  assert((await world.wait(next.link.registrations())).length === 1, 'and finds the runners')
  await world.wait(next.link.close('pause'))
}

async function crashIsResumed(world: ForgeWorld): Promise<void> {
  const first = await openToDemand(world)
  world.queueJobs(2)
  await waitForJobs(world, first.reader, { waiting: 2 })
  first.stop.abort(new Error('crash'))
  await world.wait(first.reader.ended)
  const next = await openToDemand(world, lastState(first.reader))
  await waitForJobs(world, next.reader, { waiting: 2 })
  assert(!next.reader.events.some(({ kind }) => kind === 'failing'), 'the next process meets no failure')
  assert(world.records().sets <= 1 && world.records().sessions <= 1, 'nothing is doubled')
  await world.wait(next.link.close('pause'))
}

async function removalLeavesNothing(world: ForgeWorld): Promise<void> {
  const { link, reader } = await openToDemand(world)
  await register(world, link, 'linux-one')
  await world.wait(link.close('remove'))
  await world.wait(reader.ended)
  const { sessions, sets, registrations } = world.records()
  assert(
    sessions + sets + registrations === 0,
    `left: ${sessions} sessions, ${sets} sets, ${registrations} registrations`,
  )
}

async function outageIsReported(world: ForgeWorld): Promise<void> {
  const { link, reader } = await openToDemand(world)
  world.reachable(false)
  const failing = await world.wait(reader.find('failing'))
  assert(failing.failure.reason === 'forge-unreachable' && failing.failure.message !== '', 'the failure says why')
  await rejects(world, link.registrations(), 'unavailable')
  reader.clear()
  world.reachable(true)
  await world.wait(reader.find('demand'))
  world.queueJobs(1)
  await waitForJobs(world, reader, { waiting: 1 })
  await world.wait(link.close('pause'))
}

async function outageWhileOpening(world: ForgeWorld): Promise<void> {
  world.reachable(false)
  const { link, reader } = await open(world)
  await world.wait(reader.find('failing', ({ failure }) => failure.reason === 'forge-unreachable'))
  await rejects(world, link.register('linux-one'), 'unavailable')
  world.reachable(true)
  await world.wait(reader.find('demand'))
  await register(world, link, 'linux-one')
  await world.wait(link.close('pause'))
}

async function credentialIsRefused(world: ForgeWorld): Promise<void> {
  world.refuseCredential()
  const { signal } = new AbortController()
  await rejects(world, world.connect().open(world.set, undefined, signal), 'unauthorized')
}

async function eventsEndWithSignal(world: ForgeWorld): Promise<void> {
  const { reader, stop } = await openToDemand(world)
  stop.abort(new Error('over'))
  await world.wait(reader.ended)
}
