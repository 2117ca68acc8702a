// A list of registrations shows which runners have a job.
import { describe, expect, it } from 'vitest'
import type { Registration } from '../../model/runner.ts'
import { ended, limits, now, podFacts, registration, runnerSet } from '../world.fixture.ts'
import { a, job, open } from './state.fixture.ts'

const bitbucket = runnerSet({ source: { ...runnerSet().source, kind: 'bitbucket', runnerGroup: undefined } })
const running = podFacts({ startedAt: now })
const busy = registration(a, { status: 'online', busy: true })
const idle = registration(a, { status: 'online', busy: false })
const other = registration('other')
const late = now + limits.lateEventMs

function withJob() {
  const set = open(bitbucket)
  set.list({ [a]: running })
  set.event({ kind: 'job-started', runner: a, job, at: now, queuedAt: undefined })
  return set
}

describe('where the list shows the jobs', () => {
  it.each<[string, readonly Registration[], number, 'busy' | 'spent']>([
    ['goes on while its runner is busy', [busy], late + 1, 'busy'],
    ['is over when its runner is idle', [idle], late + 1, 'spent'],
    ['is over when its runner is not listed', [other], late + 1, 'spent'],
    ['goes on if one of two registrations with its name is busy', [idle, busy], late + 1, 'busy'],
    ['goes on if the list may be older than its start', [idle], late, 'busy'],
  ])('a job %s', (_what, listed, askedAt, phase) => {
    const set = withJob()
    set.listed(listed, askedAt)
    expect(set.phase()).toBe(phase)
  })

  it('a departed runner is counted until a later list shows no job of it', () => {
    const set = withJob()
    set.gone({ startedAt: now })
    const departed = () => set.world().departed.map(({ hadJob }) => hadJob)
    set.listed([other, busy], late + 1)
    expect(departed()).toEqual([true])
    set.listed([other], late)
    expect(departed()).toEqual([true])
    set.listed([other], late + 2)
    expect(departed()).toEqual([])
  })
})

it('a departed runner without a job is remembered as such', () => {
  const set = open(bitbucket)
  set.list({ [a]: { ...running, end: { ...ended, at: now } } })
  expect(set.world().departed).toMatchObject([{ hadJob: false, jobOpen: false }])
})

it('a job that a list shows first is no waiting job beside idle runners any more', () => {
  const unassigned = { jobs: 1, runners: 1, since: now }
  const set = open()
  set.list({ [a]: running })
  set.listed([idle])
  set.state.unassigned = unassigned
  set.listed([registration(a, { status: 'offline', busy: false })], now + 1)
  expect(set.state.unassigned).toBe(unassigned)
  set.listed([busy], now + 2)
  expect(set.state.unassigned).toBeUndefined()
  set.state.unassigned = unassigned
  set.listed([registration(a, { status: 'offline', busy: true })], now + 3)
  expect(set.state.unassigned).toBe(unassigned)
})

it('a list of Gitea leaves an idle runner as it is', () => {
  const set = open(runnerSet({ source: { ...runnerSet().source, kind: 'gitea', runnerGroup: undefined } }))
  set.list({ [a]: running })
  set.listed([idle])
  set.listed([other], now + 1)
  set.listed([other], now + 1 + limits.ghostMs)
  expect(set.runner()).toMatchObject({ job: undefined, registration: { is: 'absent' } })
})

it('a runner has the registration that its pod names, also beside another one of its name', () => {
  const set = open()
  set.list({ [a]: { ...running, registrationId: '8' } })
  set.listed([other])
  set.listed([idle, { ...busy, id: '8' }], now + 1)
  expect(set.runner()?.registration).toMatchObject({ is: 'present', value: { id: '8', busy: true } })
})
